package petstore.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

import petstore.Catalogue;
import petstore.Failure;
import petstore.Pet;

/// Reads a file into the catalogue: checks all of it first, and writes only then.
public final class Importer {

    /// What is imported, and how.
    ///
    /// @param file is read twice: once to check, once to write
    /// @param spreadsheet whether CSV was written for a spreadsheet
    /// @param keepIds whether animals keep the ids of the file, which rise from line to line and lie above all ids of the store;
    ///        all are written in one transaction, or none
    /// @param skipBad whether good lines are written although others are malformed
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

    /// Imports a file. Nothing is written unless every line is good, or `skipBad` is set. A wrong id refuses the whole file. Without
    /// `keepIds` each group is durable when it is written, and stays if a later one fails.
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
        FileCheck check = check();
        if (writesNothing(check)) {
            return check.report(0);
        }
        bytesBefore = Files.size(plan.file());
        return plan.keepIds() ? writeWithIds(check) : writeWithNewIds(check);
    }

    private Report writeWithNewIds(FileCheck check) throws IOException {
        long written = write();
        if (written != check.good() && !interrupted.getAsBoolean()) {
            throw Failure.unavailable("the file was changed meanwhile: it had " + check.good()
                    + " animals when it was checked; " + written + " were imported, which stay");
        }
        return check.report(written);
    }

    private Report writeWithIds(FileCheck check) throws IOException {
        try (ImportLineGroups groups = groups(check.lastId())) {
            catalogue.addWithIds(new PetGroups(groups, check.good()));
            return check.report(check.good());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (Interrupted e) {
            return check.report(0);
        } catch (Failure e) {
            if (e.kind() != Failure.Kind.INVALID_REQUEST) {
                throw e;
            }
            check.refuse(e.getMessage());
            return check.report(0);
        }
    }

    /// Rolls back what an interrupted import has written.
    private static final class Interrupted extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /// The animals of a file under their ids. Errors: [Interrupted], `UncheckedIOException`, [Failure] if the file has changed.
    private final class PetGroups implements Iterator<List<Pet>> {

        private final ImportLineGroups groups;
        private long missing;
        private List<Pet> next = List.of();

        PetGroups(ImportLineGroups groups, long count) {
            this.groups = groups;
            this.missing = count;
        }

        @Override
        public boolean hasNext() {
            if (interrupted.getAsBoolean()) {
                throw new Interrupted();
            }
            if (next.isEmpty()) {
                next = read();
                missing -= next.size();
            }
            if (next.isEmpty() && missing != 0) {
                throw Failure.unavailable("the file was changed meanwhile; nothing was imported");
            }
            return !next.isEmpty();
        }

        @Override
        public List<Pet> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            List<Pet> pets = next;
            next = List.of();
            return pets;
        }

        /// Returns the next animals, empty at the end: a whole group may be malformed.
        private List<Pet> read() {
            try {
                List<ImportLine> group = groups.next();
                while (!group.isEmpty() && goodOf(group).isEmpty()) {
                    group = groups.next();
                }
                return goodOf(group).stream().map(good -> good.pet().withId(good.id())).toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (Failure e) {
                throw new Failure(Failure.Kind.UNAVAILABLE, e.getMessage() + "; nothing was imported", e);
            }
        }
    }

    private boolean writesNothing(FileCheck check) {
        return plan.dryRun() || interrupted.getAsBoolean() || check.refusesFile(plan.skipBad());
    }

    private boolean goesOnWith(List<ImportLine> group) {
        return !group.isEmpty() && !interrupted.getAsBoolean();
    }

    private FileCheck check() throws IOException {
        bytesBefore = 0;
        FileCheck check = new FileCheck(plan.keepIds() ? catalogue.lastId() : 0);
        try (ImportLineGroups groups = groups(check.lastId())) {
            for (List<ImportLine> group = groups.next(); goesOnWith(group); group = groups.next()) {
                group.forEach(check::count);
            }
            check.refuseIds(groups.wrongIds());
        }
        return check;
    }

    private ImportLineGroups groups(long lastId) throws IOException {
        return new ImportLineGroups(plan, lastId, bytes -> progress.accept(bytesBefore + bytes));
    }

    /// Reads the next group while the one before is being written.
    private long write() throws IOException {
        try (ImportLineGroups groups = groups(0); GroupWriter writer = new GroupWriter(catalogue, plan.pause())) {
            try {
                for (List<ImportLine> group = groups.next(); goesOnWith(group); group = groups.next()) {
                    writer.write(goodOf(group));
                }
                return writer.finish();
            } catch (IOException | Failure e) {
                throw writer.stopped(e);
            }
        }
    }

    private List<ImportLine.Good> goodOf(List<ImportLine> group) {
        List<ImportLine.Good> pets = new ArrayList<>(group.size());
        for (ImportLine entry : group) {
            switch (entry) {
                case ImportLine.Good good -> pets.add(good);
                case ImportLine.Bad(var line, var reason) -> {
                    if (!plan.skipBad()) {
                        throw Failure.unavailable("the file was changed meanwhile, line " + line + ": " + reason);
                    }
                }
            }
        }
        return pets;
    }
}
