package petstore.cli.doctor;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

import petstore.CommandFailure;
import petstore.app.EmbeddedStore;
import petstore.app.PostgresStore;
import petstore.cli.options.SecretVariable;
import petstore.cli.options.ServeOptions;
import petstore.cli.terminal.ConsoleCommand;
import petstore.cli.terminal.ListFormat;
import petstore.cli.terminal.TextTable;
import petstore.http.server.ServerSettings;
import petstore.store.sqlite.FolderLock;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@Command(name = "doctor", description = "Checks this machine, the settings of serve and the store, and changes nothing; exits with 1 if something is wrong.", footer = {
        "", "Examples:", "  petstore doctor --data ./data", "  petstore doctor --format json"})
public final class DoctorCommand extends ConsoleCommand implements Callable<Integer> {

    @Mixin
    private final ServeOptions options = new ServeOptions();
    @Option(names = "--format", defaultValue = "table", paramLabel = "FORMAT", description = "Format of the list: table or json.")
    private ListFormat format;

    @Override
    public Integer call() {
        Map<String, String> environment = console().environment();
        ServerSettings server = options.server();
        Instant now = console().clock().instant();
        List<Check> checks = new ArrayList<>(List.of(new Check("system", new SystemChecks(server, now)::findings),
                new Check("api key", () -> List.of(Finding.ok("api key", options.configuredKey(environment).isPresent()
                        ? "configured by " + SecretVariable.API_KEY.source(environment)
                        : "those of the store")))));
        List<Finding> wrong = new ArrayList<>();
        Optional<FolderLock.Owner> serving = Optional.empty();
        boolean isUnknown = false;
        try {
            switch (options.store(environment)) {
                case EmbeddedStore(var folder, var migrate) -> {
                    // Only once, because locks of one process would conflict.
                    serving = FolderLock.owner(folder);
                    isUnknown = FolderLock.isHidden(folder);
                    checks.add(new Check("store", new FolderChecks(folder, migrate, serving, now)::findings));
                }
                case PostgresStore(var uri, var migrate) -> {
                    isUnknown = true;
                    checks.add(new Check("store", new DatabaseChecks(uri, migrate, options.databaseReaders(),
                            console().clock())::findings));
                }
            }
        } catch (CommandFailure | ParameterException e) {
            wrong.add(Finding.fail("store", e));
        }
        checks.addAll(new ServerChecks(server, serving, isUnknown).ports());
        server.tls().ifPresent(files -> checks.add(new Check("tls", () -> ServerChecks.tls(files, now))));
        List<Finding> findings = new ArrayList<>(Check.run(checks));
        findings.addAll(wrong);
        console().show(switch (format) {
            case TABLE -> TextTable.of(findings.stream().map(Finding::line).toList());
            case JSON -> ListFormat.JSON.show(Finding.NAMES, findings.stream().map(Finding::columns).toList());
        });
        boolean failed = findings.stream().anyMatch(finding -> finding.state() == Finding.State.FAIL);
        return failed ? ExitCode.SOFTWARE : ExitCode.OK;
    }
}
