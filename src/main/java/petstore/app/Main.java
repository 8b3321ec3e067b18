package petstore.app;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;

import petstore.Failure;
import petstore.Scope;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/// The program `petstore`.
@Command(name = "petstore", scope = ScopeType.INHERIT, mixinStandardHelpOptions = true, usageHelpAutoWidth = true, versionProvider = Main.Version.class, description = "A catalogue of animals behind an HTTP API.", synopsisSubcommandLabel = "COMMAND")
public final class Main {

    /// Exit code: done.
    static final int DONE = 0;
    /// Exit code: failed, for a reason that stands on stderr.
    static final int FAILED = 1;
    /// Exit code: wrong usage.
    static final int WRONG_USAGE = 2;

    /// The version of the jar that is running.
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[]{"petstore " + (version == null ? "(not packaged)" : version)};
        }
    }

    /// Runs the program and ends the process with its exit code.
    public static void main(String[] args) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(new Console(out, err, System.getenv(), Clock.systemUTC()), args));
    }

    /// Runs one command line.
    ///
    /// @return 0 done, 1 failed, 2 wrong usage
    static int run(Console console, String... args) {
        return commandLine(console).execute(args);
    }

    /// The whole command line, ready to be executed.
    static CommandLine commandLine(Console console) {
        CommandLine main = new CommandLine(new Main());
        main.addSubcommand(new ServeCommand(console));
        main.addSubcommand(new CommandLine(new KeysCommand())
                .addSubcommand(new KeysCommand.Create(console))
                .addSubcommand(new KeysCommand.ListAll(console))
                .addSubcommand(new KeysCommand.Revoke(console)));
        return main.setOut(console.out()).setErr(console.err())
                .setDefaultValueProvider(argument -> argument instanceof OptionSpec option
                        ? console.environment().get(variable(option.longestName()))
                        : null)
                .registerConverter(Duration.class, Durations::parse)
                .registerConverter(Scope.class, Main::scope)
                .setParameterExceptionHandler((e, _) -> wrongUsage(console, e))
                .setExecutionExceptionHandler((e, _, _) -> failed(console, e));
    }

    /// The environment variable of an option, e.g. `PETSTORE_ADMIN_PORT` of `--admin-port`.
    static String variable(String option) {
        return "PETSTORE_" + option.substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    private static Scope scope(String text) {
        return Scope.find(text).orElseThrow(
                () -> new TypeConversionException("'" + text + "' is none of " + Scope.choices()));
    }

    private static int wrongUsage(Console console, ParameterException e) {
        console.err().println("petstore: " + e.getMessage() + " (see '"
                + e.getCommandLine().getCommandSpec().qualifiedName() + " --help')");
        return WRONG_USAGE;
    }

    private static int failed(Console console, Exception e) throws Exception {
        if (e instanceof Failure failure) {
            console.err().println("petstore: " + failure.getMessage());
            return FAILED;
        }
        throw e;
    }
}
