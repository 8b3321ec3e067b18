package petstore.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

import petstore.Catalogue;
import petstore.Failure;

/// Reads a file into the catalogue: checks all of it first, and writes only then.
public final class Importer {

    private static final int MOST_REPORTED = 100;

    /// What is imported, and how.
    ///
    /// @param file is read twice: once to check, once to write
    /// @param spreadsheet whether CSV was written for a spreadsheet
    /// @param keepIds whether animals keep the ids of the file; an id that is taken makes its line bad
    /// @param skipBad whether good lines are written although others are bad
    /// @param dryRun whether to check only
    /// @param group how many animals are written in one transaction
    /// @param pause how long to leave the store to others between two of them
    public record Plan(Path file, Format format, boolean spreadsheet, boolean keepIds, boolean skipBad, boolean dryRun,
            int group,
            Duration pause) {
    }

    /// What came of it.
    ///
    /// @param good how many lines are animals
    /// @param bad how many are not
    /// @param firstBad the first 100 of these, e.g. `line 7: name must not be blank`
    /// @param written how many animals were written
    public record Report(long good, long bad, List<String> firstBad, long written) {
    }

    private final Catalogue catalogue;
    private final Plan plan;
    private final LongConsumer progress;
    private final BooleanSupplier interrupted;
    private long bytesBefore;

    private Importer(Catalogue catalogue, Plan plan, LongConsumer progress, BooleanSupplier interrupted) {
        this.catalogue = catalogue;
        this.plan = plan;
        this.progress = progress;
        this.interrupted = interrupted;
    }

    /// Imports a file. Nothing is written unless every line is good, or `skipBad` is set. Each group is durable when it is
    /// written; when the store fails between two, those before stay.
    ///
    /// @param progress is told the bytes read, of twice the file's size
    /// @param interrupted whether to end behind the group under way
    /// @throws IOException when the file cannot be read
    /// @throws Failure of kind `INVALID_REQUEST` when it is not of its format, `UNAVAILABLE` when the store fails or the file
    /// is changed meanwhile: it says what stays
    public static Report run(Catalogue catalogue, Plan plan, LongConsumer progress, BooleanSupplier interrupted)
            throws IOException {
        return new Importer(catalogue, plan, progress, interrupted).run();
    }

    private Report run() throws IOException {
        Check check = check();
        if (writesNothing(check)) {
            return check.report(0);
        }
        if (plan.keepIds() && catalogue.reserveIds(check.greatestId) != check.lastId) {
            // Animals were added meanwhile. From here on the ids of the file are given to nobody else.
            check = check();
            if (writesNothing(check)) {
                return check.report(0);
            }
        }
        bytesBefore = Files.size(plan.file());
        long written = write(check.lastId);
        if (written != check.good && !interrupted.getAsBoolean()) {
            throw Failure.unavailable("the file was changed meanwhile: it had " + check.good
                    + " animals when it was checked; " + written + " were imported, which stay");
        }
        return check.report(written);
    }

    private boolean writesNothing(Check check) {
        return plan.dryRun() || interrupted.getAsBoolean() || (check.bad > 0 && !plan.skipBad());
    }

    private boolean goesOnWith(List<Entry> group) {
        return !group.isEmpty() && !interrupted.getAsBoolean();
    }

    /// What the first reading finds.
    private static final class Check {
        private final long lastId;
        private final List<String> firstBad = new ArrayList<>();
        private long good;
        private long bad;
        private long greatestId;

        Check(long lastId) {
            this.lastId = lastId;
        }

        void count(Entry entry) {
            switch (entry) {
                case Entry.Good(_, var id, _) -> {
                    good++;
                    greatestId = Math.max(greatestId, id);
                }
                case Entry.Bad(var line, var reason) -> {
                    bad++;
                    if (firstBad.size() < MOST_REPORTED) {
                        firstBad.add("line " + line + ": " + reason);
                    }
                }
            }
        }

        Report report(long written) {
            return new Report(good, bad, List.copyOf(firstBad), written);
        }
    }

    private Check check() throws IOException {
        bytesBefore = 0;
        Check check = new Check(plan.keepIds() ? catalogue.reserveIds(0) : 0);
        try (EntryGroups groups = groups(check.lastId)) {
            for (List<Entry> group = groups.next(); goesOnWith(group); group = groups.next()) {
                group.forEach(check::count);
            }
        }
        return check;
    }

    private EntryGroups groups(long lastId) throws IOException {
        return new EntryGroups(catalogue, plan, lastId, bytes -> progress.accept(bytesBefore + bytes));
    }

    /// Reads the next group while the one before is being written.
    private long write(long lastId) throws IOException {
        try (EntryGroups groups = groups(lastId); Writer writer = new Writer()) {
            try {
                for (List<Entry> group = groups.next(); goesOnWith(group); group = groups.next()) {
                    writer.write(goodOf(group));
                }
                return writer.finish();
            } catch (IOException | Failure e) {
                throw writer.stopped(e);
            }
        }
    }

    private List<Entry.Good> goodOf(List<Entry> group) {
        List<Entry.Good> pets = new ArrayList<>(group.size());
        for (Entry entry : group) {
            switch (entry) {
                case Entry.Good good -> pets.add(good);
                case Entry.Bad(var line, var reason) -> {
                    if (!plan.skipBad()) {
                        throw Failure.unavailable("the file was changed meanwhile, line " + line + ": " + reason);
                    }
                }
            }
        }
        return pets;
    }

    private int write(List<Entry.Good> pets) throws InterruptedException {
        if (plan.keepIds()) {
            catalogue.putBack(pets.stream().map(good -> good.pet().withId(good.id())).toList());
        } else {
            catalogue.addAll(pets.stream().map(Entry.Good::pet).toList());
        }
        Thread.sleep(plan.pause());
        return pets.size();
    }

    /// Writes one group after the other on a thread of its own.
    private final class Writer implements AutoCloseable {
        private static final Future<Integer> NOTHING = CompletableFuture.completedFuture(0);

        private final ExecutorService thread = Executors
                .newSingleThreadExecutor(Thread.ofPlatform().name("import").factory());
        private Future<Integer> before = NOTHING;
        private long written;

        /// Begins to write a group when the one before is written. Errors: as for [#finish].
        void write(List<Entry.Good> pets) {
            finish();
            before = thread.submit(() -> Importer.this.write(pets));
        }

        /// Waits for the last group, and gives back how many animals have been written. Errors: [Failure] when it was not, once.
        long finish() {
            Future<Integer> group = before;
            before = NOTHING;
            try {
                written += group.get();
                return written;
            } catch (ExecutionException e) {
                throw new Failure(Failure.Kind.UNAVAILABLE,
                        Optional.ofNullable(e.getCause()).map(Throwable::getMessage).orElse(""), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Failure.unavailable("it was interrupted");
            }
        }

        /// Says why the import goes no further, and what stays, for which it waits.
        Failure stopped(Exception cause) {
            try {
                finish();
            } catch (Failure e) {
                return stopped(e);
            }
            String stopped = "the import stopped after " + written + " animals, which stay";
            return switch (cause) {
                case IOException e -> Failure.unavailable(stopped, e);
                case Failure e -> new Failure(e.kind(), stopped + ": " + e.getMessage(), e);
                default -> new Failure(Failure.Kind.UNAVAILABLE, stopped, cause);
            };
        }

        @Override
        public void close() {
            thread.close();
        }
    }
}
