package petstore.store.postgres.watch;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/// The choice of a start or a command between hosts, e.g. `a1` a primary of timeline 1, `b2s` a standby of timeline 2, `r` read-only and
/// `f` without fsync; `x` is of another cluster. `b?` cannot be asked for now, `b~` is unreachable, and `b!` can never be asked. `+2` was
/// seen before. The result says whether waiting helps: `no`, or `never`.
class CandidateTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a1 b2      | true  | true  | b2
            b2 a1      | true  | true  | b2
            a1 b2s     | true  | true  | a1 no
            b2s a1     | true  | true  | b2s no
            a2 b2      | true  | true  | a2
            a1 c2s     | true  | false | c2s
            a2 b2s     | true  | false | a2
            b2s a2     | true  | false | a2
            a1s b2s    | true  | false | b2s
            a1r        | true  | false | a1r
            a1f        | true  | false | a1f
            a1r b1s    | true  | true  | a1r no
            a1f b1s    | true  | true  | b1s no
            a1f b2     | true  | true  | b2
            a1f b1sf   | true  | true  | a1f never
            a1 b?      | true  | true  | b? no
            a1 b?      | false | true  | a1
            a1s b?     | true  | false | b? no
            a1 b~      | true  | true  | a1
            a! b~      | true  | true  | b~ no
            a1 b!      | true  | true  | a1
            a! b?      | false | true  | b? no
            a! b1s     | true  | true  | b1s no
            a! b!      | true  | true  | a! never
            +2 a1      | true  | false | a1 no
            +2 b1s     | true  | false | b1s
            +2 b1s     | true  | true  | b1s no
            a1 x9      | true  | true  | a1
            a1 x9      | true  | false | a1""")
    void usesBestHost(String hosts, boolean compares, boolean toWrite, String expected) {
        Cluster cluster = Cluster.UNKNOWN;
        for (String host : hosts.split(" ", 0)) {
            if (server(host).isPresent()) {
                cluster = cluster.with(server(host).get().lineage());
            }
        }
        Cluster shown = cluster;
        List<Candidate<String>> candidates = Arrays.stream(hosts.split(" ")).filter(host -> !host.startsWith("+"))
                .map(host -> new Candidate<>(host, server(host), server(host).isPresent()
                        ? Refusal.of(server(host).get(), shown, toWrite)
                        : Optional.of(new Refusal("refused", outlook(host)))))
                .toList();
        Candidate<String> best = Candidate.best(candidates, compares);
        String refusal = best.isTemporary() ? " no" : " never";
        assertThat(best.host() + best.refusal().map(_ -> refusal).orElse("")).isEqualTo(expected);
    }

    private static Refusal.Outlook outlook(String host) {
        return switch (host.charAt(1)) {
            case '?' -> Refusal.Outlook.PASSING;
            case '~' -> Refusal.Outlook.UNREACHABLE;
            default -> Refusal.Outlook.LASTING;
        };
    }

    private static Optional<ServerState> server(String host) {
        return Optional.of(host).filter(text -> Character.isDigit(text.charAt(1))).map(text -> new ServerState(
                new ServerState.Lineage(text.startsWith("x") ? "other" : "one", "1", text.charAt(1) - '0'), "1",
                text.contains("s"), text.contains("r"), text.contains("f") ? "fsync" : ""));
    }
}
