package petstore.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import petstore.app.PostgresStore;
import petstore.app.Settings;
import petstore.cli.options.SecretVariable;
import petstore.cli.options.ServeOptions;
import petstore.cli.options.Variables;
import petstore.cli.terminal.ConsoleCommand;
import petstore.cli.terminal.ListFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

@Command(name = "config", description = "Shows every setting of serve, its value, and where it comes from.", footer = {
        "",
        "Example:", "  petstore config --port 9000"})
final class ConfigCommand extends ConsoleCommand implements Runnable {

    private static final String DEFAULT = "default";

    @Option(names = "--format", defaultValue = "table", paramLabel = "FORMAT", description = "Format of the list: table or json.")
    private ListFormat format;
    @Mixin
    private final ServeOptions options = new ServeOptions();

    @Override
    public void run() {
        Settings checked = options.settings(console().environment());
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (OptionSpec option : Objects.requireNonNull(spec.mixins().get("options")).options()) {
            String source = source(option);
            rows.add(Arrays.asList(option.longestName(), value(option, source, checked), source));
        }
        checked.configuredKey().ifPresent(_ -> rows
                .add(List.of("API key", "(secret)", SecretVariable.API_KEY.source(console().environment()))));
        console().show(format.show(List.of("SETTING", "VALUE", "FROM"), rows));
    }

    /// Returns null for a setting that is not set.
    private @Nullable String value(OptionSpec option, String source, Settings settings) {
        if (option.longestName().equals("--database")) {
            return settings.store() instanceof PostgresStore database ? database.place() : null;
        }
        if (source.equals(option.longestName())) {
            List<String> given = option.originalStringValues();
            return option.isMultiValue() ? String.join(",", given) : given.getLast();
        }
        return source.equals(DEFAULT) ? option.defaultValue() : console().environment().get(source);
    }

    private String source(OptionSpec option) {
        if (spec.commandLine().getParseResult().hasMatchedOption(option.longestName())) {
            return option.longestName();
        }
        String variable = Variables.name(option.longestName());
        return console().environment().containsKey(variable) ? variable : DEFAULT;
    }
}
