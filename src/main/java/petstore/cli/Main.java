package petstore.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.security.Security;
import java.time.Clock;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import petstore.CommandFailure;
import petstore.Failure;
import petstore.SafeText;
import petstore.app.Build;
import petstore.cli.doctor.DoctorCommand;
import petstore.cli.options.ArgumentPasswords;
import petstore.cli.options.OptionConverters;
import petstore.cli.options.StoreOptions;
import petstore.cli.options.Variables;
import petstore.cli.options.WrongUsage;
import petstore.cli.terminal.Console;
import petstore.cli.terminal.ConsoleCommand;
import petstore.cli.terminal.WholeWords;
import petstore.http.server.tls.CertificateFiles;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Option;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;

@Command(name = "petstore", scope = ScopeType.INHERIT, mixinStandardHelpOptions = true, usageHelpAutoWidth = true, showDefaultValues = true, optionListHeading = "%nSettings of serve and of the store have environment variables too: PETSTORE_ADMIN_PORT is for --admin-port.%n", commandListHeading = "%nCommands:%n", description = "A catalogue of animals behind an HTTP API.", synopsisSubcommandLabel = "COMMAND", footer = {
        "", "Examples:", "  petstore serve", "  petstore help keys create"})
public final class Main implements ConsoleCommand.Program {

    /// Exit codes. For the last two, the reason is on stderr.
    static final int DONE = 0;
    public static final int FAILED = 1;
    public static final int WRONG_USAGE = 2;

    private static final String HELP = "help";
    private static final String KEYS = "keys";
    private static final Set<String> HELP_OPTIONS = Set.of("-h", "--help", "-V", "--version");

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Prints the stack trace of a failure.")
    private boolean verbose;
    private final Console console;

    private Main(Console console) {
        this.console = console;
    }

    @Override
    public Console console() {
        return console;
    }

    /// The names of all commands, for completion.
    static final class Commands implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return commands().keySet().iterator();
        }
    }

    /// Runs the program and ends the process with its exit code.
    public static void main(String[] args) {
        // Java reads these at its first look-up of a host, and by default keeps addresses for 30 s and failures for 10 s.
        Security.setProperty("networkaddress.cache.ttl", "1");
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
        CertificateFiles.configureJava();
        Console console = Console.of(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err), Boolean.getBoolean("petstore.terminal"), System.getenv(),
                Clock.systemUTC());
        try {
            System.exit(run(console, args));
        } catch (OutOfMemoryError e) {
            // No thread can be started: with a full heap, Java ends by itself. An orderly end would need more threads.
            console.err().println("petstore: " + Failure.noThread(e).getMessage());
            Runtime.getRuntime().halt(FAILED);
        }
    }

    /// Runs one command line; without arguments, the help. Returns the exit code.
    public static int run(Console console, String... args) {
        Optional<String> refusal = ArgumentPasswords.refusal(args);
        if (refusal.isPresent()) {
            console.printError("petstore: " + refusal.get());
            return WRONG_USAGE;
        }
        String[] line = args.length == 0 ? new String[]{HELP} : args;
        int code = commandLine(console, line).execute(line);
        if (code == DONE && console.out().checkError()) {
            console.printError("petstore: " + Console.UNWRITABLE);
            return FAILED;
        }
        return code;
    }

    /// Returns the command line. It has only the command in `args`, because setting up all commands takes longer than running most of
    /// them. For the help, and if `args` have no known command, it has all commands.
    public static CommandLine commandLine(Console console, String... args) {
        Main program = new Main(console);
        CommandLine main = new CommandLine(program);
        boolean helps = Arrays.stream(args).takeWhile(argument -> !argument.equals("--"))
                .anyMatch(HELP_OPTIONS::contains);
        main.getCommandSpec()
                .versionProvider(() -> new String[]{"petstore " + Build.running() + ", Java " + Runtime.version()});
        List<String> words = Arrays.stream(args).filter(argument -> !argument.startsWith("-")).toList();
        add(commands(), words.stream().findFirst().filter(name -> !name.equals(HELP)), main);
        Optional.ofNullable(main.getSubcommands().get(KEYS))
                .ifPresent(keys -> add(KeysCommand.commands(), words.stream().skip(1).findFirst(), keys));
        OptionConverters.register(main);
        return main.setOut(console.out()).setErr(console.err())
                .setDefaultValueProvider(argument -> helps
                        ? null
                        : Variables.of(argument).map(console.environment()::get).orElse(null))
                .setColorScheme(Help.defaultColorScheme(
                        "dumb".equals(console.environment().get("TERM")) ? Help.Ansi.OFF : Help.Ansi.AUTO))
                .setHelpFactory(WholeWords::new)
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionStrategy(parsed -> {
                    Variables.check(parsed, console);
                    // Help shows the defaults without variables, which may have a secret.
                    main.setDefaultValueProvider(_ -> null);
                    return new RunLast().execute(parsed);
                })
                .setParameterExceptionHandler((e, _) -> {
                    String reason = SafeText.oneLine(e.getMessage());
                    console.printError("petstore: " + WrongUsage.message(e, reason, console.environment()));
                    return WRONG_USAGE;
                })
                .setExecutionExceptionHandler((e, _, _) -> failed(console, e, program.verbose));
    }

    /// Adds the command of this name; all commands if there is none.
    private static void add(Map<String, Supplier<Object>> commands, Optional<String> name, CommandLine parent) {
        name.filter(commands::containsKey).ifPresent(only -> commands.keySet().retainAll(Set.of(only)));
        commands.values().forEach(command -> parent.addSubcommand(command.get()));
    }

    /// Returns all commands by name, in the order of the help.
    private static Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("serve", ServeCommand::new);
        commands.put(KEYS, KeysCommand::new);
        commands.put("import", ImportCommand::new);
        commands.put("export", ExportCommand::new);
        commands.put("backup", () -> StoreOptions.embeddedOnly(new BackupCommand()));
        commands.put("restore", () -> StoreOptions.embeddedOnly(new RestoreCommand()));
        commands.put("move", () -> StoreOptions.embeddedOnly(new MoveCommand()));
        commands.put("config", ConfigCommand::new);
        commands.put("doctor", DoctorCommand::new);
        commands.put("healthcheck", HealthcheckCommand::new);
        commands.put("completion", CompletionCommand::new);
        commands.put(HELP, HelpCommand::new);
        return commands;
    }

    private static int failed(Console console, Exception e, boolean verbose) {
        console.printError("petstore: " + (e instanceof Failure || e instanceof CommandFailure
                ? SafeText.oneLine(e.getMessage())
                : "an unexpected failure, " + SafeText.oneLine(e.toString()) + "; --verbose prints its stack trace"));
        if (verbose) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            console.err().println(SafeText.ofTrace(trace.toString()));
        }
        return FAILED;
    }
}
