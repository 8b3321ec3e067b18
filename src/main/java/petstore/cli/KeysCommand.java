package petstore.cli;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import petstore.ApiKey;
import petstore.Failure;
import petstore.KeyToken;
import petstore.RateLimit;
import petstore.Scope;
import petstore.SecretHash;
import petstore.app.StoreChoice;
import petstore.cli.options.OptionConverters;
import petstore.cli.options.StoreOptions;
import petstore.cli.terminal.Console;
import petstore.log.Audit;
import petstore.store.SqlStore;
import petstore.store.sqlite.FolderLock;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `petstore keys`: hands out API keys and takes them back.
@Command(name = "keys", description = "Hands out API keys and takes them back.", synopsisSubcommandLabel = "COMMAND")
final class KeysCommand {

    /// Makes a key and prints it alone on stdout.
    @Command(name = "create", description = "Makes an API key and prints it, this once.", footer = {"", "Example:",
            "  petstore keys create --name checkout --scope pets:read --expires-in 90d"})
    static final class Create implements Callable<Integer> {
        private final Console console;
        @Mixin
        private final StoreOptions store = new StoreOptions();
        @Spec
        private CommandSpec spec;
        @Option(names = "--name", required = true, paramLabel = "NAME", description = "What the key's owner is called.")
        private String name;
        @Option(names = "--scope", paramLabel = "SCOPE", showDefaultValue = Visibility.NEVER, description = "What the key allows: pets:read or pets:write; both when none is given.")
        private Set<Scope> scopes = EnumSet.allOf(Scope.class);
        @Option(names = "--rate-limit", paramLabel = "COUNT/TIME", description = "How many requests the key may send, e.g. 600/1m, instead of what serve allows.")
        private Optional<RateLimit> rateLimit;
        @ArgGroup(exclusive = true)
        private Expiry expiry = new Expiry();

        /// Until when the key is good; for good when neither is given.
        static final class Expiry {
            @Option(names = "--expires-in", paramLabel = "TIME", showDefaultValue = Visibility.NEVER, description = "How long the key is good, e.g. 90d.")
            private Optional<Duration> in = Optional.empty();
            @Option(names = "--expires-at", paramLabel = "MOMENT", showDefaultValue = Visibility.NEVER, description = "From when on the key is refused, e.g. 2027-01-31 (its beginning, midnight in UTC) or 2027-01-31T12:00:00Z.")
            private Optional<Instant> at = Optional.empty();
        }

        Create(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            if (!ApiKey.isName(name)) {
                throw new ParameterException(spec.commandLine(),
                        "--name must be 1 to " + ApiKey.MAX_NAME_LENGTH
                                + " printable characters, none of them \" = \\, and not an API key");
            }
            Instant here = console.clock().instant();
            if (expiry.at.filter(end -> !end.isAfter(here)).isPresent()) {
                throw new ParameterException(spec.commandLine(), "--expires-at must be later than now");
            }
            KeyToken token = KeyToken.random(new SecureRandom());
            StoreChoice choice = store.choice(console.environment());
            try (@Nullable
            FolderLock _ = choice.lockToChange(); SqlStore open = choice.open()) {
                Instant now = open.keys().now();
                ApiKey key = ApiKey.issued(token, name, scopes, now, expiry.in.map(now::plus).or(() -> expiry.at),
                        rateLimit);
                open.keys().add(key);
                Audit.log("create", key);
            }
            show("", token, console);
            return Main.DONE;
        }
    }

    /// Prints every key, never a secret.
    @Command(name = "list", description = "Lists all API keys, without their secrets.", footer = {"", "Example:",
            "  petstore keys list --format json"})
    static final class ListAll implements Callable<Integer> {
        private final Console console;
        @Mixin
        private final StoreOptions store = new StoreOptions();
        @Option(names = "--format", defaultValue = "table", paramLabel = "FORMAT", description = "How keys are shown: table or json.")
        private KeyList.Form form;

        ListAll(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            try (SqlStore open = store.choice(console.environment()).existing().openToRead()) {
                console.show(form.show(open.keys().list()));
            }
            return Main.DONE;
        }
    }

    /// Gives a key a new secret.
    @Command(name = "rotate", description = "Gives an API key a new secret and prints it, this once.", footer = {"",
            "Example:", "  petstore keys rotate 4fQ0c8sXbT --grace 24h"})
    static final class Rotate implements Callable<Integer> {
        private final Console console;
        @Mixin
        private final StoreOptions store = new StoreOptions();
        @Option(names = "--grace", paramLabel = "TIME", description = "How long the old secret is good beside the new one, e.g. 24h; not at all when not given.")
        private Optional<Duration> grace;
        @Parameters(paramLabel = "ID", converter = OptionConverters.KeyId.class, description = "The key's id, as 'petstore keys list' shows it.")
        private String id;

        Rotate(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            KeyToken token = new KeyToken(id, KeyToken.random(new SecureRandom()).secret());
            StoreChoice choice = store.choice(console.environment()).existing();
            try (@Nullable
            FolderLock _ = choice.lockToChange(); SqlStore open = choice.open()) {
                Instant now = open.keys().now();
                ApiKey key = open.keys().find(id).orElseThrow(() -> noSuchKey(id));
                if (!key.isValidAt(now)) {
                    throw Failure.unavailable("the key " + id + " is revoked or has expired; create a new one");
                }
                key = open.keys().rotate(id, SecretHash.of(token.secret()), grace.map(now::plus))
                        .orElseThrow(() -> noSuchKey(id));
                Audit.log("rotate", key);
            }
            show("", token, console);
            return Main.DONE;
        }
    }

    /// Withdraws a key.
    @Command(name = "revoke", description = "Withdraws an API key; a running server refuses it within 2 seconds.", footer = {
            "", "Example:", "  petstore keys revoke 4fQ0c8sXbT"})
    static final class Revoke implements Callable<Integer> {
        private final Console console;
        @Mixin
        private final StoreOptions store = new StoreOptions();
        @Parameters(paramLabel = "ID", converter = OptionConverters.KeyId.class, description = "The key's id, as 'petstore keys list' shows it.")
        private String id;

        Revoke(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            StoreChoice choice = store.choice(console.environment()).existing();
            try (@Nullable
            FolderLock _ = choice.lockToChange(); SqlStore open = choice.open()) {
                ApiKey key = open.keys().revoke(id, open.keys().now())
                        .orElseThrow(() -> noSuchKey(id));
                Audit.log("revoke", key);
            }
            return Main.DONE;
        }
    }

    /// Shows a key that was made, this once, behind what is said of it.
    static void show(String before, KeyToken token, Console console) {
        console.show(before + token.text() + System.lineSeparator(), "the key " + token.id()
                + " was made, but stdout cannot be written; 'petstore keys rotate " + token.id() + "' shows another");
    }

    private static Failure noSuchKey(String id) {
        return new Failure(Failure.Kind.NOT_FOUND,
                "there is no key with the id " + id + "; 'petstore keys list' shows them");
    }
}
