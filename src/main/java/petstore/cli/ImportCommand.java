package petstore.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import petstore.Closer;
import petstore.CommandFailure;
import petstore.Pet;
import petstore.SafeText;
import petstore.app.PostgresStore;
import petstore.app.StoreChoice;
import petstore.cli.terminal.ProgressBarOption;
import petstore.files.TemporaryFile;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.transfer.Format;
import petstore.transfer.Importer;
import petstore.transfer.Importer.Plan;
import petstore.transfer.Importer.Report;
import petstore.transfer.Importer.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "import", description = "Adds the animals of a file, after checking all of it, also while a server runs.", footer = {
        "", "Example:", "  petstore import examples/animals.ndjson",
        "  zcat animals.csv.gz | petstore import - --format csv --dry-run"})
final class ImportCommand extends TransferCommand implements Callable<Integer> {

    private static final int LARGE_GROUP = 10_000;
    /// A server waits for a group.
    private static final int SMALL_GROUP = 1_000;
    private static final int MOST_NAMES = 10;
    private static final int LONGEST_NAME = 40;

    /// The exit code after a signal, 0 without a signal.
    private final AtomicInteger interruption = new AtomicInteger();

    @Option(names = "--keep-ids", description = "Keeps the ids of the file, for all animals or none; they must rise from line to line, above all ids of the store. Not while a server runs on the folder.")
    private boolean keepIds;
    @Option(names = "--skip-bad", description = "Adds the good lines although others are bad; the exit code is 1.")
    private boolean skipBad;
    @Option(names = "--dry-run", description = "Checks the file, and adds nothing.")
    private boolean dryRun;
    @Parameters(paramLabel = "FILE", description = "The file to read; - for stdin.")
    private Path file;

    @Override
    public Integer call() {
        chooseFormat(file);
        try {
            if (isStream(file)) {
                return importSpooled(console().input());
            }
            if (Files.isDirectory(file)) {
                throw new CommandFailure(file + " cannot be read: it is a folder");
            }
            try (InputStream in = Files.newInputStream(file)) {
                return Files.isRegularFile(file) ? importFile(file) : importSpooled(in);
            }
        } catch (IOException e) {
            throw CommandFailure.of(file + " cannot be read", e);
        }
    }

    /// Imports a stream through a temporary file, because the import reads its file twice.
    private int importSpooled(InputStream in) throws IOException {
        try (TemporaryFile spooled = new TemporaryFile("petstore-import-")) {
            // The command before a pipe may have failed.
            if (in.transferTo(spooled) == 0) {
                throw new CommandFailure("no input: the stream is empty");
            }
            return importFile(spooled.path());
        }
    }

    private int importFile(Path source) throws IOException {
        StoreChoice choice = choice();
        Plan plan = new Plan(source, format, spreadsheet, keepIds, skipBad);
        if (dryRun) {
            return check(choice, plan);
        }
        try (Closer parts = new Closer()) {
            if (!choice.exists()) {
                // The store is created once the file is checked.
                return report(importInto(0, () -> open(choice, parts), plan), source);
            }
            Target target = open(choice, parts);
            return report(importInto(keepIds ? target.catalogue().lastId() : 0, () -> target, plan), source);
        }
    }

    private Target open(StoreChoice choice, Closer parts) {
        SqlStore store = parts.add(choice.open(keepIds ? StoreAccess.EXCLUSIVE : StoreAccess.CREATE));
        return new Target(store.catalogue(), store.isServed() ? SMALL_GROUP : LARGE_GROUP, store::isServed);
    }

    private int check(StoreChoice choice, Plan plan) throws IOException {
        long lastId = 0;
        // A database is asked when it is opened.
        if (choice instanceof PostgresStore || choice.exists()) {
            try (SqlStore open = choice.open(StoreAccess.READ)) {
                lastId = open.catalogue().lastId();
            }
        } else {
            console().printError("petstore: there is no store in " + choice.place()
                    + "; the file is checked against an empty one");
        }
        Report report;
        try (ProgressBarOption.Display display = progress.start(console(), "check", ProgressBarOption.BYTES,
                () -> plan.file().toFile().length())) {
            report = Importer.check(plan, lastId, display);
        }
        return report(report, plan.file());
    }

    private Report importInto(long lastId, Supplier<Target> opening, Plan plan) throws IOException {
        Signals.haltAtSecondSignal(interruption::set);
        try (ProgressBarOption.Display display = progress.start(console(), "import", ProgressBarOption.BYTES,
                () -> 2 * plan.file().toFile().length())) {
            return Importer.run(lastId, opening, plan, display, () -> interruption.get() != 0);
        }
    }

    private int report(Report report, Path source) throws IOException {
        if (interruption.get() != 0) {
            console().printError("petstore: the import was interrupted" + report.end());
            return interruption.get();
        }
        if (!report.ignoredColumns().isEmpty()) {
            console().printError("petstore: columns ignored: " + names(report.ignoredColumns()));
        }
        report.firstBad().forEach(console()::printError);
        if (report.bad() > report.firstBad().size()) {
            console().printError("... and " + (report.bad() - report.firstBad().size()) + " more");
        }
        if (report.bad() > 0 && report.good() == 0 && format == Format.NDJSON) {
            advise(source);
        }
        String bad = report.bad() == 0
                ? ""
                : ", " + report.bad() + " of " + (report.good() + report.bad()) + are(report.bad()) + "bad";
        console().printError(dryRun
                ? "Checked" + progress.took() + ": " + Pet.counted(report.good()) + are(report.good()) + "good" + bad
                : "Imported " + Pet.counted(report.written()) + progress.took() + bad);
        return report.bad() == 0 ? Main.DONE : Main.FAILED;
    }

    /// Returns names for a message, the first of many or long ones.
    private static String names(List<String> all) {
        String first = all.stream().limit(MOST_NAMES)
                .map(name -> name.replaceFirst("(?s)(.{" + LONGEST_NAME + "}).+", "$1..."))
                .collect(Collectors.joining(", "));
        return all.size() <= MOST_NAMES ? first : first + " and " + (all.size() - MOST_NAMES) + " more";
    }

    private static String are(long number) {
        return number == 1 ? " is " : " are ";
    }

    /// Suggests why no line is an animal, by the first byte after blanks and a byte order mark.
    private void advise(Path source) throws IOException {
        int first;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(source))) {
            do {
                first = in.read();
            } while (" \t\r\n\u00EF\u00BB\u00BF".indexOf(first) >= 0);
        }
        if (first != '{' && first >= 0) {
            console().printError("no line is an animal: is it " + (first == '['
                    ? "one array (jq -c '.[]' FILE | "
                    : "CSV (--format csv), or compressed (zcat FILE | ") + SafeText.command("import -") + ")?");
        }
    }
}
