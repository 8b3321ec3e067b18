package petstore.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import petstore.Catalogue;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;

/// The import of a file into the catalogue. It checks the whole file first.
public final class Importer {

    /// The file and the rules of an import.
    ///
    /// @param file read twice: to check it, and to write its animals
    /// @param spreadsheet true if CSV was written for a spreadsheet
    /// @param keepIds true if animals keep the ids of the file, which must rise from line to line, above all ids of the store. One
    ///        transaction writes all animals or none.
    /// @param skipBad true if good lines are written although others are malformed
    public record Plan(Path file, Format format, boolean spreadsheet, boolean keepIds, boolean skipBad) {
    }

    /// The catalogue to which an import adds animals.
    ///
    /// @param group the number of animals in a transaction
    /// @param isServed returns true if another process may wait to write. Then there is a pause between two transactions
    public record Target(Catalogue catalogue, int group, BooleanSupplier isServed) {
    }

    /// The result of an import.
    ///
    /// @param good the number of lines that are animals
    /// @param bad the number of lines that are not
    /// @param firstBad the first 100 of these, e.g. `line 7: name must not be blank`
    /// @param written the number of animals added
    /// @param lastLine the last line of the file up to which they are added; 0 if nothing is added
    public record Report(long good, long bad, List<String> firstBad, List<String> ignoredColumns, long written,
            long lastLine) {

        /// Returns where an interrupted import ended, e.g. ` after line 7; 5 animals stay`.
        public String end() {
            return new Written(written, lastLine).end(false);
        }
    }

    /// The animals that are added, and the last line of their groups.
    record Written(long animals, long lastLine) {

        static final Written NOTHING = new Written(0, 0);

        /// @param unknown true if the next group may be added, too
        String end(boolean unknown) {
            return animals == 0
                    ? "; nothing was imported" + (unknown ? ", or only the first group" : "")
                    : " after line " + lastLine + "; " + Pet.counted(animals) + (animals == 1 ? " stays" : " stay")
                            + (unknown ? ", and perhaps the next group" : "");
        }
    }

    private static final int CHECKED_GROUP = 1_000;
    private static final Duration PAUSE = Duration.ofMillis(2);

    private final Plan plan;
    private final LongConsumer progress;
    private final BooleanSupplier interrupted;
    private final FileCheck check = new FileCheck();
    private long bytesBefore;
    private long read;

    private Importer(Plan plan, LongConsumer progress, BooleanSupplier interrupted) {
        this.plan = plan;
        this.progress = progress;
        this.interrupted = interrupted;
    }

    /// Checks a file, and writes nothing.
    ///
    /// @param lastId the greatest id that the store has used
    /// @param progress receives the number of bytes read
    /// @throws IOException if the file cannot be read
    /// @throws CommandFailure if it does not have its format
    public static Report check(Plan plan, long lastId, LongConsumer progress) throws IOException {
        Importer importer = new Importer(plan, progress, () -> false);
        importer.check(lastId);
        return importer.check.report(Written.NOTHING);
    }

    /// Imports a file. Nothing is written unless every line is good, or `skipBad` is set. A wrong id refuses the whole file. Without
    /// `keepIds` each group is durable when it is written, and stays if a later one fails.
    ///
    /// @param lastId the greatest id that the store has used; 0 for a new store, or if the file's ids are not kept
    /// @param opening opens the store; not called if there is nothing to add
    /// @param progress receives the number of bytes read, up to twice the file's size
    /// @param interrupted returns true if the import is to end behind the current group
    /// @throws IOException if the file cannot be read
    /// @throws CommandFailure if it does not have its format, the store fails, or the file is changed meanwhile. The message says which
    /// animals stay, and up to which line
    public static Report run(long lastId, Supplier<Target> opening, Plan plan, LongConsumer progress,
            BooleanSupplier interrupted) throws IOException {
        Importer importer = new Importer(plan, progress, interrupted);
        importer.check(lastId);
        if (interrupted.getAsBoolean() || importer.check.refusesFile(plan.skipBad())) {
            return importer.check.report(Written.NOTHING);
        }
        Target target = opening.get();
        importer.bytesBefore = Files.size(plan.file());
        return importer.check
                .report(plan.keepIds() ? importer.writeWithIds(target, lastId) : importer.write(target));
    }

    private void check(long lastId) throws IOException {
        try (SeekableByteChannel file = Files.newByteChannel(plan.file())) {
            ImportLineGroups groups = groups(file, lastId, CHECKED_GROUP);
            check.ignores(groups.ignoredColumns());
            for (List<ImportLine> group = groups.next(); continuesWith(group); group = groups.next()) {
                group.forEach(check::count);
            }
        }
    }

    private ImportLineGroups groups(SeekableByteChannel file, long lastId, int size) throws IOException {
        return new ImportLineGroups(plan, file, lastId, size, bytes -> progress.accept(bytesBefore + bytes));
    }

    private boolean continuesWith(List<ImportLine> group) {
        return !group.isEmpty() && !interrupted.getAsBoolean();
    }

    /// Reads the next group while the one before is being written.
    private Written write(Target target) throws IOException {
        AtomicReference<Written> written = new AtomicReference<>(Written.NOTHING);
        try (SeekableByteChannel file = Files.newByteChannel(plan.file())) {
            ImportLineGroups groups = groups(file, 0, target.group());
            try (TaskThread thread = new TaskThread("import", 1)) {
                for (List<ImportLine> group = groups.next(); continuesWith(group); group = groups.next()) {
                    List<NewPet> pets = goodOf(group).stream().map(ImportLine.Good::pet).toList();
                    long lastLine = groups.lastLine();
                    thread.submit(() -> {
                        target.catalogue().addAll(pets);
                        written.set(new Written(written.get().animals() + pets.size(), lastLine));
                        if (target.isServed().getAsBoolean()) {
                            // A server that waits for the lock looks for it in shorter intervals.
                            Thread.sleep(PAUSE);
                        }
                        return written;
                    });
                }
                thread.finish();
            } catch (IOException e) {
                throw CommandFailure.of("the import stopped" + written.get().end(false), e);
            } catch (RuntimeException e) {
                boolean unknown = e instanceof Failure failure && failure.hasUnknownOutcome();
                throw new CommandFailure("the import stopped" + written.get().end(unknown) + ": " + e.getMessage(), e);
            }
        }
        if (written.get().animals() != check.good() && !interrupted.getAsBoolean()) {
            throw new CommandFailure("the import stopped" + written.get().end(false)
                    + ": the file was changed meanwhile; it had " + Pet.counted(check.good())
                    + " when it was checked");
        }
        return written.get();
    }

    /// Writes all animals or none.
    private Written writeWithIds(Target target, long lastId) throws IOException {
        try (SeekableByteChannel file = Files.newByteChannel(plan.file())) {
            ImportLineGroups groups = groups(file, lastId, target.group());
            target.catalogue().addWithIds(
                    Stream.generate(() -> nextWithIds(groups)).takeWhile(pets -> !pets.isEmpty()).iterator());
            return new Written(check.good(), groups.lastLine());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (CancellationException e) {
            return Written.NOTHING;
        } catch (Failure e) {
            if (e.hasUnknownOutcome()) {
                throw new CommandFailure("the import stopped after none or all of its animals: " + e.getMessage(), e);
            }
            if (e.kind() != Failure.Kind.INVALID_REQUEST) {
                throw e;
            }
            check.refuse(e.getMessage());
            return Written.NOTHING;
        }
    }

    /// Returns the next animals under their ids, empty at the end: a whole group may be malformed. Throws
    /// `CancellationException` if the import is interrupted, `UncheckedIOException`, and [CommandFailure] if the file has changed.
    private List<Pet> nextWithIds(ImportLineGroups groups) {
        if (interrupted.getAsBoolean()) {
            throw new CancellationException();
        }
        try {
            List<ImportLine> group = groups.next();
            while (!group.isEmpty() && goodOf(group).isEmpty()) {
                group = groups.next();
            }
            List<Pet> pets = goodOf(group).stream().map(good -> good.pet().withId(good.id())).toList();
            read += pets.size();
            if (pets.isEmpty() && read != check.good()) {
                throw new CommandFailure("the file was changed meanwhile");
            }
            return pets;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (CommandFailure e) {
            throw new CommandFailure(e.getMessage() + "; nothing was imported", e);
        }
    }

    private List<ImportLine.Good> goodOf(List<ImportLine> group) {
        return group.stream().<ImportLine.Good>mapMulti((line, pets) -> {
            switch (line) {
                case ImportLine.Good good -> pets.accept(good);
                case ImportLine.Bad(var number, var reason, _) when !plan.skipBad() ->
                    throw new CommandFailure("the file was changed meanwhile, line " + number + ": " + reason);
                case ImportLine.Bad _ -> {
                }
            }
        }).toList();
    }
}
