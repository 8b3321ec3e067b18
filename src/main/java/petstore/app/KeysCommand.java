package petstore.app;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

import petstore.ApiKey;
import petstore.Failure;
import petstore.KeyToken;
import petstore.Scope;
import petstore.SecretHash;
import petstore.sql.SqlStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
        @Option(names = "--name", required = true, paramLabel = "NAME", description = "What the key's owner is called.")
        private String name;
        @Option(names = "--scope", paramLabel = "SCOPE", description = "What the key allows: pets:read or pets:write; both when none is given.")
        private Set<Scope> scopes = EnumSet.allOf(Scope.class);
        @Option(names = "--expires-in", paramLabel = "TIME", description = "How long the key is good, e.g. 90d; for good when not given.")
        private Optional<Duration> expiresIn;

        Create(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            Instant now = console.clock().instant();
            KeyToken token = KeyToken.random(new SecureRandom());
            try (SqlStore open = store.open()) {
                open.keys().add(new ApiKey(token.id(), name, scopes, SecretHash.of(token.secret()), now,
                        expiresIn.map(now::plus), Optional.empty()));
            }
            console.out().println(token.text());
            return Main.DONE;
        }
    }

    /// Prints every key, never a secret.
    @Command(name = "list", description = "Lists all API keys, without their secrets.", footer = {"", "Example:",
            "  petstore keys list"})
    static final class ListAll implements Callable<Integer> {
        private static final String LINE = "%-12s %-20s %-22s %-20s %-20s %s%n";
        private final Console console;
        @Mixin
        private final StoreOptions store = new StoreOptions();

        ListAll(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            try (SqlStore open = store.openExisting()) {
                console.out().printf(LINE, "ID", "NAME", "SCOPES", "CREATED", "EXPIRES", "REVOKED");
                open.keys().list().forEach(this::print);
            }
            return Main.DONE;
        }

        private void print(ApiKey key) {
            String scopes = String.join(" ", key.scopes().stream().map(Scope::text).sorted().toList());
            console.out().printf(LINE, key.id(), key.name(), scopes, second(Optional.of(key.created())),
                    second(key.expires()), second(key.revoked()));
        }

        private static String second(Optional<Instant> moment) {
            return moment.map(instant -> Instant.ofEpochSecond(instant.getEpochSecond()).toString()).orElse("-");
        }
    }

    /// Withdraws a key.
    @Command(name = "revoke", description = "Withdraws an API key; a running server refuses it within 2 seconds.", footer = {
            "", "Example:", "  petstore keys revoke 4fQ0c8sXbT"})
    static final class Revoke implements Callable<Integer> {
        private final Console console;
        @Mixin
        private final StoreOptions store = new StoreOptions();
        @Parameters(paramLabel = "ID", description = "The key's id, as 'petstore keys list' shows it.")
        private String id;

        Revoke(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            try (SqlStore open = store.openExisting()) {
                ApiKey key = open.keys().revoke(id, console.clock().instant())
                        .orElseThrow(() -> new Failure(Failure.Kind.NOT_FOUND, "there is no key with the id " + id
                                + "; 'petstore keys list' shows them"));
                console.err().println("Revoked " + key.id() + " (" + key.name() + ")");
            }
            return Main.DONE;
        }
    }
}
