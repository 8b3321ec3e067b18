package petstore.cli.terminal;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import petstore.ApiKey;
import petstore.RateLimit;
import petstore.SafeText;
import petstore.Scope;
import petstore.json.ListJson;

public final class KeyList {

    private static final List<String> HEADINGS = List.of("ID", "NAME", "SCOPES", "CREATED", "STATE", "LAST USED",
            "RATE LIMIT");
    /// Units of a rate limit, the longest first, in seconds.
    private static final List<Map.Entry<String, Integer>> UNITS = List.of(Map.entry("d", 86_400),
            Map.entry("h", 3_600), Map.entry("m", 60), Map.entry("s", 1));

    private KeyList() {
    }

    /// Returns the list, as a table or as JSON with all members.
    ///
    /// @param now decides which keys have expired
    public static String show(List<ApiKey> keys, Instant now, ListFormat format) {
        return switch (format) {
            case TABLE -> TextTable.of(
                    Stream.concat(Stream.of(HEADINGS), keys.stream().map(key -> row(key, now))).toList());
            case JSON -> SafeText.of(ListJson.keys(keys)) + "\n";
        };
    }

    private static List<String> row(ApiKey key, Instant now) {
        return List.of(key.id(), key.shownName(), Scope.text(key.scopes()).replace("pets:", ""), day(key.created()),
                state(key, now), key.lastUsed().map(KeyList::minute).orElse("-"),
                key.rateLimit().map(KeyList::limit).orElse("-"));
    }

    private static String state(ApiKey key, Instant now) {
        return key.revoked().map(moment -> "revoked " + day(moment))
                .or(() -> key.expires().map(end -> (key.isValidAt(now) ? "until " : "expired ") + day(end)))
                .orElse("valid");
    }

    private static String day(Instant moment) {
        return LocalDate.ofInstant(moment, ZoneOffset.UTC).toString();
    }

    private static String minute(Instant moment) {
        return moment.truncatedTo(ChronoUnit.MINUTES).toString().replace('T', ' ').replace(":00Z", "");
    }

    /// Returns a limit in the longest unit, e.g. `600/1m`.
    private static String limit(RateLimit limit) {
        long seconds = limit.window().toSeconds();
        Map.Entry<String, Integer> unit = UNITS.stream().filter(each -> seconds % each.getValue() == 0).findFirst()
                .orElseThrow();
        return limit.requests() + "/" + seconds / unit.getValue() + unit.getKey();
    }
}
