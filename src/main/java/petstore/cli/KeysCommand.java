package petstore.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import petstore.ApiKey;
import petstore.ApiKey.SecretHash;
import petstore.CommandFailure;
import petstore.KeyRing;
import petstore.KeyToken;
import petstore.RateLimit;
import petstore.SafeText;
import petstore.Scope;
import petstore.app.EmbeddedStore;
import petstore.app.StoreChoice;
import petstore.cli.options.OptionConverters;
import petstore.cli.terminal.Console;
import petstore.cli.terminal.KeyList;
import petstore.cli.terminal.ListFormat;
import petstore.log.Audit;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "keys", description = "Creates, lists, rotates, revokes and removes API keys.", synopsisSubcommandLabel = "COMMAND", footer = {
        "", "Example:", "  petstore keys list"})
final class KeysCommand {

    /// Returns the commands by name, in the order of the help.
    static Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("create", Create::new);
        commands.put("list", ListAll::new);
        commands.put("rotate", Rotate::new);
        commands.put("revoke", Revoke::new);
        commands.put("prune", Prune::new);
        return commands;
    }

    @Command(name = "create", description = "Creates an API key and prints it, this once.", footer = {"", "Example:",
            "  petstore keys create --name checkout --scope pets:read --expires-in 90d"})
    static final class Create extends StoreCommand implements Runnable {
        @Option(names = "--name", required = true, paramLabel = "NAME", description = "Name of the key's owner.")
        private String name;
        @Option(names = "--scope", paramLabel = "SCOPE", completionCandidates = OptionConverters.Scopes.class, showDefaultValue = Visibility.NEVER, description = "Scope of the key: pets:read or pets:write; both by default.")
        private Set<Scope> scopes = EnumSet.allOf(Scope.class);
        @Option(names = "--rate-limit", paramLabel = "COUNT/TIME", description = "Requests that the key may send, e.g. 600/1m, instead of serve's --rate-limit.")
        private Optional<RateLimit> rateLimit;
        @ArgGroup(exclusive = true)
        private Expiry expiry = new Expiry();

        /// The end of the key's life; absent if neither option is given.
        static final class Expiry {
            @Option(names = "--expires-in", paramLabel = "TIME", showDefaultValue = Visibility.NEVER, description = "Life of the key, e.g. 90d.")
            private Optional<Duration> in = Optional.empty();
            @Option(names = "--expires-at", paramLabel = "MOMENT", showDefaultValue = Visibility.NEVER, description = "End of the key's life, e.g. 2027-01-31 (its beginning, midnight in UTC) or 2027-01-31T12:00:00Z.")
            private Optional<Instant> at = Optional.empty();
        }

        @Override
        public void run() {
            if (!ApiKey.isName(name)) {
                throw wrongUsage("--name must be 1 to " + ApiKey.MAX_NAME_LENGTH
                        + " printable characters, none of them \" = \\, and not an API key");
            }
            // Checked here, too, because the command creates a missing store.
            ApiKey.requireNotConfigured(name);
            KeyToken token = KeyToken.random();
            StoreChoice choice = choice();
            if (choice instanceof EmbeddedStore) {
                // This machine has the clock of the embedded store, which does not exist yet.
                requireExpiryAfter(console().clock().instant());
            }
            change("create", choice, StoreAccess.CREATE, (keys, now) -> {
                requireExpiryAfter(now);
                ApiKey key = ApiKey.issued(token, name, scopes, now, expiry.in.map(now::plus).or(() -> expiry.at),
                        rateLimit);
                keys.add(key);
                return key;
            });
            show("", token, "rotate " + token.id(), choice, console());
        }

        private void requireExpiryAfter(Instant now) {
            if (expiry.at.filter(end -> !end.isAfter(now)).isPresent()) {
                throw wrongUsage("--expires-at must be later than now");
            }
        }
    }

    @Command(name = "list", description = "Lists all API keys, without their secrets.", footer = {"", "Example:",
            "  petstore keys list --format json"})
    static final class ListAll extends StoreCommand implements Runnable {
        @Option(names = "--format", defaultValue = "table", paramLabel = "FORMAT", description = "Format of the list: table or json.")
        private ListFormat format;

        @Override
        public void run() {
            try (SqlStore open = choice().open(StoreAccess.READ)) {
                console().show(KeyList.show(open.keys().list(), open.keys().now(), format));
            }
        }
    }

    @Command(name = "rotate", description = "Replaces an API key's secret and prints the new key, this once.", footer = {
            "", "Example:", "  petstore keys rotate 4fQ0c8sXbT --grace 24h"})
    static final class Rotate extends StoreCommand implements Runnable {
        @Option(names = "--grace", paramLabel = "TIME", description = "Time in which the old secret is accepted too, e.g. 24h; none by default.")
        private Optional<Duration> grace;
        @Parameters(paramLabel = "ID|NAME", converter = OptionConverters.KeyId.class, description = "The key's id, as 'petstore keys list' shows it, or its name if no other key has it.")
        private String idOrName;

        @Override
        public void run() {
            String secret = KeyToken.random().secret();
            StoreChoice choice = choice();
            ApiKey rotated = change("rotate", choice, StoreAccess.CHANGE, (keys, now) -> {
                ApiKey key = find(keys, idOrName, now);
                if (!key.isValidAt(now)) {
                    throw new CommandFailure("the key " + key.id() + " is revoked or has expired; create a new one");
                }
                key.retired().filter(old -> grace.isPresent() && old.until().isAfter(now)).ifPresent(old -> {
                    throw new CommandFailure("the old secret of the key " + key.id() + " works until "
                            + old.until().truncatedTo(ChronoUnit.SECONDS)
                            + "; rotate it again after that, or without --grace, which ends it now");
                });
                return keys.rotate(key.id(), SecretHash.of(secret),
                        grace.map(now::plus).map(end -> key.expires().filter(end::isAfter).orElse(end)))
                        .orElseThrow(() -> unknown(key.id()));
            });
            // Another rotation would end the old secret, which clients still use.
            show("", new KeyToken(rotated.id(), secret),
                    grace.isEmpty() ? "rotate " + rotated.id() : "create --name NAME",
                    choice, console());
            console().printError(grace.isEmpty()
                    ? "The old secret no longer works; a running server refuses it within 2 seconds"
                    : "The old secret works until " + rotated.retired()
                            .map(old -> old.until().truncatedTo(ChronoUnit.SECONDS).toString()).orElseThrow());
        }
    }

    @Command(name = "revoke", description = "Revokes an API key; a running server refuses it within 2 seconds.", footer = {
            "", "Example:", "  petstore keys revoke 4fQ0c8sXbT"})
    static final class Revoke extends StoreCommand implements Runnable {
        @Parameters(paramLabel = "ID|NAME", converter = OptionConverters.KeyId.class, description = "The key's id, as 'petstore keys list' shows it, or its name if no other key has it.")
        private String idOrName;

        @Override
        public void run() {
            change("revoke", choice(), StoreAccess.CHANGE,
                    (keys, now) -> keys.revoke(find(keys, idOrName, now).id(), now)
                            .orElseThrow(() -> unknown(idOrName)));
        }
    }

    @Command(name = "prune", description = "Removes API keys that were revoked or expired long ago.", footer = {"",
            "Example:", "  petstore keys prune --older-than 30d"})
    static final class Prune extends StoreCommand implements Runnable {
        @Option(names = "--older-than", defaultValue = "90d", paramLabel = "TIME", description = "Time since the key's end, e.g. 30d.")
        private Duration age;

        @Override
        public void run() {
            try (SqlStore open = choice().open(StoreAccess.CHANGE)) {
                List<ApiKey> removed = open.keys().prune(open.keys().now().minus(age));
                removed.forEach(key -> Audit.log("remove", key));
                console().printError("Removed " + removed.size() + (removed.size() == 1 ? " API key" : " API keys"));
            }
        }
    }

    /// Changes a key, at the store's time, and logs it. Returns the changed key.
    private static ApiKey change(String action, StoreChoice choice, StoreAccess access,
            BiFunction<KeyRing, Instant, ApiKey> change) {
        try (SqlStore open = choice.open(access)) {
            ApiKey changed = change.apply(open.keys(), open.keys().now());
            Audit.log(action, changed);
            return changed;
        }
    }

    /// Returns the key with this id; else the only key with this name, where revoked and expired keys count only if no other key has it.
    private static ApiKey find(KeyRing keys, String idOrName, Instant now) {
        List<ApiKey> named = keys.find(idOrName).map(List::of)
                .orElseGet(() -> keys.list().stream().filter(key -> key.name().equals(idOrName)).toList());
        List<ApiKey> valid = named.stream().filter(key -> key.isValidAt(now)).toList();
        List<ApiKey> meant = valid.isEmpty() ? named : valid;
        if (meant.size() > 1) {
            throw new CommandFailure("several keys have the name " + idOrName + "; give an id: "
                    + meant.stream().map(ApiKey::id).collect(Collectors.joining(", ")));
        }
        return meant.stream().findFirst().orElseThrow(() -> unknown(idOrName));
    }

    /// Prints a new key after a text. The store keeps only its hash.
    ///
    /// @param another the arguments of `keys` that make another key if this one cannot be printed
    static void show(String before, KeyToken token, String another, StoreChoice choice, Console console) {
        console.show(before + token.text() + System.lineSeparator(), "the key " + token.id()
                + " was made, but stdout cannot be written; '" + line(another, choice) + "' shows another");
    }

    static String line(String arguments, StoreChoice choice) {
        return SafeText.command("keys " + arguments + " " + choice.option());
    }

    private static CommandFailure unknown(String id) {
        return new CommandFailure(
                "there is no key with the id or name " + id + "; '" + SafeText.command("keys list") + "' shows them");
    }
}
