package petstore.cli.doctor;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import petstore.app.EmbeddedStore;
import petstore.app.PostgresStore;
import petstore.app.Settings;
import petstore.cli.options.ServeOptions;
import petstore.cli.terminal.ConsoleCommand;
import petstore.cli.terminal.ListFormat;
import petstore.cli.terminal.TextTable;
import petstore.http.server.ServerSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "doctor", description = "Checks this machine, the settings of serve and the store, and changes nothing; exits with 1 if something is wrong.", footer = {
        "", "Examples:", "  petstore doctor --data ./data", "  petstore doctor --format json"})
public final class DoctorCommand extends ConsoleCommand implements Callable<Integer> {

    private static final List<String> COLUMNS = List.of("state", "check", "finding", "advice");

    @Mixin
    private final ServeOptions options = new ServeOptions();
    @Option(names = "--format", defaultValue = "table", paramLabel = "FORMAT", description = "Format of the list: table or json.")
    private ListFormat format;

    @Override
    public Integer call() {
        Settings settings = options.settings(console().environment());
        ServerSettings server = settings.server();
        Instant now = console().clock().instant();
        List<Check> checks = new ArrayList<>(new SystemChecks(server.maxConnections(), now).all());
        checks.addAll(switch (settings.store()) {
            case EmbeddedStore(var folder, _) -> new FolderChecks(folder).all();
            case PostgresStore(var uri, _) -> new DatabaseChecks(uri, settings.readers(), console().clock()).all();
        });
        server.tls().ifPresent(files -> checks.addAll(new TlsChecks(files, now).all()));
        List<List<String>> rows = Check.run(checks);
        console().show(switch (format) {
            case TABLE -> TextTable.of(rows.stream().map(DoctorCommand::line).toList());
            case JSON -> ListFormat.JSON.show(COLUMNS, rows);
        });
        boolean failed = rows.stream().anyMatch(row -> row.getFirst().equals(Finding.State.FAIL.toString()));
        return failed ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    /// Returns the columns for people: the advice follows the finding.
    private static List<String> line(List<String> row) {
        String advice = row.getLast();
        return List.of(row.get(0), row.get(1), advice.isEmpty() ? row.get(2) : row.get(2) + "; " + advice);
    }
}
