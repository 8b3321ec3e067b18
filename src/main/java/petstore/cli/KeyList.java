package petstore.cli;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import petstore.ApiKey;
import petstore.RateLimit;
import petstore.SafeText;
import petstore.Scope;
import petstore.cli.terminal.TextTable;
import petstore.json.KeyJson;

/// Lists of API keys for operators.
final class KeyList {

    private static final List<String> HEADINGS = List.of("ID", "NAME", "SCOPES", "CREATED", "EXPIRES", "REVOKED",
            "LAST USED", "RATE LIMIT");

    private KeyList() {
    }

    enum Form {
        TABLE, JSON;

        String show(List<ApiKey> keys) {
            return switch (this) {
                case TABLE -> table(keys);
                case JSON -> SafeText.of(KeyJson.write(keys)) + "\n";
            };
        }
    }

    private static String table(List<ApiKey> keys) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADINGS);
        keys.forEach(key -> rows.add(List.of(key.id(), key.shownName(), Scope.text(key.scopes()),
                moment(Optional.of(key.created())), moment(key.expires()), moment(key.revoked()),
                moment(key.lastUsed()), key.rateLimit().map(RateLimit::text).orElse("-"))));
        return TextTable.of(rows);
    }

    private static String moment(Optional<Instant> moment) {
        return moment.map(instant -> instant.truncatedTo(ChronoUnit.SECONDS).toString()).orElse("-");
    }
}
