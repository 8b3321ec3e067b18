package petstore.store.postgres.watch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.CatalogueVersion;

import static org.assertj.core.api.Assertions.assertThat;

/// The rules of the watch as a table: each line has an observation, and the phase and the effects that follow.
///
/// A server is its timeline, e.g. `2` or `1 standby`. `restarted` is another run of it, `foreign` is of another cluster. A version is a
/// number of changes by SQL and the greatest id, by default `v0.5`. After `a asked`, the next line of host `a` belongs to that term.
class RulesTest {

    private static final Pattern VERSION = Pattern.compile("v(\\d+)\\.(\\d+)");
    private static final Pattern AGE = Pattern.compile("after (\\d+) ms");
    private static final Pattern OLDER = Pattern
            .compile(
                    "(.*) is refused: the server is on the older timeline (.); another server was on timeline (.), so.*");
    private static final Pattern FOREIGN = Pattern
            .compile("(.*) is refused: the server is of another cluster \\(system identifier other, not one\\);.*");

    private record Connected(String host) implements State.Connections {
        @Override
        public void close() {
            throw new AssertionError("a rule closes nothing");
        }
    }

    private record Asked(long term, CatalogueVersion known) {
    }

    private State state = new State(Cluster.UNKNOWN);
    private final Map<String, Asked> asked = new HashMap<>();
    private final Deque<Adoption> openings = new ArrayDeque<>();

    @Test
    void opensFirstServerAndReadsKeys() {
        play("""
                a proves 1              | opening a, epoch 1; open a with keys
                a proves 1 v0.9         | opening a, epoch 1
                opened                  | primary a, epoch 1
                a proves 1 v0.9         | primary a, epoch 1""");
    }

    @Test
    void successorIsOpenedAfterProofInItsOwnTerm() {
        play("""
                a serves 1              | primary a, epoch 1
                b sees 1 standby        | primary a, epoch 1
                b asked                 | primary a, epoch 1
                b sees 2                | none; unusable: a: another server has taken over; close a; ask all
                b proves 2              | none
                b proves 2              | opening b, epoch 2; open b with keys
                opened                  | primary b, epoch 2; again
                a proves 1              | primary b, epoch 2; a refused: 1 < 2
                a proves 1              | primary b, epoch 2""");
    }

    @Test
    void neverGoesBackToOlderTimeline() {
        play("""
                a serves 1              | primary a, epoch 1
                b proves 2              | none; unusable: a: another server has taken over; close a; ask all
                b serves 2              | primary b, epoch 2; again
                silent 1900             | none; unusable: b: no commit has completed for 1.90 s; the server or its synchronous standby does not respond; close b; ask all
                a proves 1              | none; a refused: 1 < 2
                a proves 1 restarted    | none
                c proves 1              | none; c refused: 1 < 2
                b proves 2              | opening b, epoch 2; open b""");
    }

    @Test
    void remembersTimelineOfServerThatFailedToOpen() {
        play("""
                a serves 1              | primary a, epoch 1
                b sees 2                | none; unusable: a: another server has taken over; close a; ask all
                b proves 2              | opening b, epoch 2; open b with keys
                opening fails           | none
                a proves 1              | none; a refused: 1 < 2
                b proves 2              | opening b, epoch 3; open b with keys""");
        assertThat(state.unavailable()).isEqualTo("the database cannot be used: a: the server is on the older"
                + " timeline 1; another server was on timeline 2; b: full");
    }

    @Test
    void standbyTellsLaterTimeline() {
        play("""
                a serves 1              | primary a, epoch 1
                b sees 2 standby        | none; unusable: a: another server has taken over; close a; ask all
                a proves 1              | none; a refused: 1 < 2""");
    }

    @Test
    void standbyTellsLaterTimelineDuringOpening() {
        play("""
                a proves 1              | opening a, epoch 1; open a with keys
                b sees 2 standby        | none; ask all
                opened                  | none; close a""");
    }

    @Test
    void otherPrimariesDoNotReplaceServerInUse() {
        play("""
                a serves 2              | primary a, epoch 1
                b proves 2              | primary a, epoch 1
                b proves 1              | primary a, epoch 1; b refused: 1 < 2
                b proves 9 foreign      | primary a, epoch 1; b refused: foreign
                b proves 9 foreign      | primary a, epoch 1
                b proves 2              | primary a, epoch 1""");
    }

    /// The rule does not rely on the order of the watch, which tells the state of a server first.
    @Test
    void proofShowsTimeline() {
        play("""
                a serves 1              | primary a, epoch 1
                b claims 2              | none; unusable: a: another server has taken over; close a; ask all
                a claims 1              | none; a refused: 1 < 2
                b claims 2              | opening b, epoch 2; open b with keys""");
    }

    @Test
    void addressMoves() {
        play("""
                a serves 1              | primary a, epoch 1
                a proves 2 restarted    | none; unusable: a: another server has taken over; close a; ask all
                a serves 2              | primary a, epoch 2; again
                a proves 1              | none; a refused: 1 < 2; unusable: a: the server is on the older timeline 1; another server was on timeline 2; close a; ask all
                a proves 2              | opening a, epoch 2; open a
                opened                  | primary a, epoch 2; again
                a sees 2 standby        | none; unusable: a: the database is a standby; close a; ask all
                a proves 3 foreign      | none; a refused: foreign
                a proves 2              | opening a, epoch 2; open a""");
    }

    /// The first cluster counts, also while none of its servers can be used.
    @Test
    void otherClusterIsNeverUsed() {
        play("""
                a sees 1 standby        | none
                b proves 9 foreign      | none; b refused: foreign
                a serves 1              | primary a, epoch 1
                a sees 1 foreign        | none; a refused: foreign; unusable: a: the server is of another cluster (system identifier other, not one); restart this service to use it; close a; ask all
                b claims 9 foreign      | none
                a proves 1              | opening a, epoch 1; open a""");
    }

    /// The server may have an older state, to which other replicas have added as many animals.
    @Test
    void restartBeginsEpoch() {
        play("""
                a serves 1 v3.5         | primary a, epoch 1
                a proves 1 v3.5 restarted | none; unusable: a: the server has restarted; close a; ask all
                a proves 1 v3.6 restarted | opening a, epoch 2; open a with keys
                opened                  | primary a, epoch 2; again""");
    }

    @Test
    void changeBySqlRaisesEpochWithoutNewLineage() {
        play("""
                a serves 1 v3.5         | primary a, epoch 1
                read v4.5               | primary a, epoch 2
                silent 9000             | none; unusable: a: the service was paused; its last commit is 9.00 s old; close a; ask all
                a proves 1 v4.5         | opening a, epoch 2; open a""");
    }

    @Test
    void versionThatFellBeginsEpoch() {
        play("""
                a serves 1 v3.5         | primary a, epoch 1
                a proves 1 v3.4         | none; unusable: a: an older state of the database was restored; close a; ask all
                a serves 1 v3.4         | primary a, epoch 2; again
                read v3.9               | primary a, epoch 2
                read v2.9               | none; unusable: a: an older state of the database was restored; close a; ask all
                a proves 1 v2.9         | opening a, epoch 3; open a with keys
                a proves 1 v2.8         | none; ask all
                opened                  | none; close a""");
    }

    /// Other replicas have added animals to the older state meanwhile.
    @Test
    void versionThatFellBeginsEpochAlsoIfItRoseAgain() {
        play("""
                a serves 1 v0.5         | primary a, epoch 1
                read v0.4               | none; unusable: a: an older state of the database was restored; close a; ask all
                a serves 1 v0.9         | primary a, epoch 2; again
                a proves 1 v0.8         | none; unusable: a: an older state of the database was restored; close a; ask all
                a proves 1 v0.9         | opening a, epoch 3; open a with keys""");
    }

    /// A request has read a version that the answer of the host does not have, because it was read before.
    @Test
    void versionThatRoseWhileHostWasAskedDidNotFall() {
        play("""
                a serves 1 v0.5         | primary a, epoch 1
                a asked                 | primary a, epoch 1
                read v0.8               | primary a, epoch 1
                a proves 1 v0.5         | primary a, epoch 1""");
    }

    @Test
    void versionThatFellDuringOutageBeginsEpoch() {
        play("""
                a serves 1 v0.5         | primary a, epoch 1
                read v0.9               | primary a, epoch 1
                silent 1900             | none; unusable: a: no commit has completed for 1.90 s; the server or its synchronous standby does not respond; close a; ask all
                a proves 1 v0.8         | opening a, epoch 2; open a with keys""");
    }

    @Test
    void failedOpeningEndsEpoch() {
        play("""
                a serves 1              | primary a, epoch 1
                silent 1900             | none; unusable: a: no commit has completed for 1.90 s; the server or its synchronous standby does not respond; close a; ask all
                a proves 1              | opening a, epoch 1; open a
                opening fails           | none
                a proves 1              | opening a, epoch 2; open a with keys
                opening fails           | none
                a proves 1              | opening a, epoch 3; open a with keys
                opened                  | primary a, epoch 3; again""");
    }

    @Test
    void overtakenOpeningEndsEpochAndIsClosed() {
        play("""
                a serves 1              | primary a, epoch 1
                silent 1900             | none; unusable: a: no commit has completed for 1.90 s; the server or its synchronous standby does not respond; close a; ask all
                a proves 1              | opening a, epoch 1; open a
                silent 1900             | none; ask all
                a proves 1              | opening a, epoch 2; open a with keys
                opened                  | opening a, epoch 2; close a
                opening fails           | none""");
    }

    @Test
    void lateFailureOfOvertakenOpeningChangesNothing() {
        play("""
                a proves 1              | opening a, epoch 1; open a with keys
                a sees 1 read-only      | none; ask all
                a proves 1              | opening a, epoch 2; open a with keys
                opening fails           | opening a, epoch 2
                opened                  | primary a, epoch 2; again""");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            1 standby       | the database is a standby
            1 read-only     | the database is read-only (default_transaction_read_only)
            1 unsafe        | the database would lose data: its setting fsync is off
            1 unsafe standby | the database would lose data: its setting fsync is off""")
    void leavesServerThatCannotCommitDurably(String server, String reason) {
        play("""
                a sees %1$s             | none
                a serves 1              | primary a, epoch 1
                a sees %1$s             | none; unusable: a: %2$s; close a; ask all
                a sees %1$s             | none
                a proves 1              | opening a, epoch 1; open a
                a sees %1$s             | none; ask all""".formatted(server, reason));
        assertThat(state.unavailable()).isEqualTo("the database cannot be used: a: " + reason);
    }

    @Test
    void proofOfEarlierTermIsTooLate() {
        play("""
                a serves 1              | primary a, epoch 1
                a asked                 | primary a, epoch 1
                a pooled                | none; unusable: a: pooler; close a; ask all
                a asked                 | none
                a serves 1              | primary a, epoch 1; again
                a asked                 | primary a, epoch 1
                read v0.4               | none; unusable: a: an older state of the database was restored; close a; ask all
                a proves 1              | none
                b asked                 | none
                a serves 1              | primary a, epoch 2; again
                b proves 1              | primary a, epoch 2
                a asked                 | primary a, epoch 2
                silent 1900             | none; unusable: a: no commit has completed for 1.90 s; the server or its synchronous standby does not respond; close a; ask all
                a serves 1              | none""");
    }

    @Test
    void poolerIsNoticedByHostOrRequest() {
        play("""
                a pooled                | none
                a serves 1              | primary a, epoch 1
                b pooled                | primary a, epoch 1
                a asked                 | primary a, epoch 1
                a pooled                | none; unusable: a: pooler; close a; ask all
                a proves 1              | opening a, epoch 1; open a
                a pooled                | none; ask all
                c asked                 | none
                a proves 1              | opening a, epoch 2; open a with keys""");
        assertThat(state.unavailable()).isEqualTo("the database cannot be used: a: pooler; b: pooler");
    }

    /// However short the suspension was: the last commit is older than it seems, also at the next look.
    @Test
    void suspensionEndsTrust() {
        play("""
                a serves 1              | primary a, epoch 1
                suspended               | none; unusable: a: the machine was suspended; close a; ask all
                suspended               | none
                a proves 1              | opening a, epoch 1; open a
                suspended               | none; ask all""");
    }

    @Test
    void requestOfEarlierTermLeavesNoServer() {
        play("""
                a serves 1              | primary a, epoch 1
                a asked                 | primary a, epoch 1
                silent 1900             | none; unusable: a: no commit has completed for 1.90 s; the server or its synchronous standby does not respond; close a; ask all
                b serves 1              | primary b, epoch 1; again
                a pooled                | primary b, epoch 1
                late silent 1900        | primary b, epoch 1
                late fell               | primary b, epoch 1""");
    }

    @Test
    void silenceEndsTrustWithReasonOfHost() {
        play("""
                a serves 1              | primary a, epoch 1
                a fails refused         | primary a, epoch 1
                b fails silent          | primary a, epoch 1
                silent 1899             | primary a, epoch 1
                silent 1900             | none; unusable: a: refused; close a; ask all
                silent 20000            | none""");
        assertThat(state.unavailable()).isEqualTo("the database cannot be used: a: refused; b: silent");
    }

    /// The next commit would complete when this one is no longer trusted, and the server would be left at once.
    @Test
    void opensNoServerAfterOldCommit() {
        play("""
                a proves 1 after 951 ms | none
                a serves 1 after 950 ms | primary a, epoch 1
                a proves 1 after 951 ms | primary a, epoch 1
                silent 5000             | none; unusable: a: the service was paused; its last commit is 5.00 s old; close a; ask all
                a proves 1 after 5000 ms | none""");
        assertThat(state.unavailable())
                .isEqualTo("the database cannot be used: a: a commit took 5.00 s, more than 0.95 s");
    }

    @Test
    void everyHostHasItsReason() {
        assertThat(state.unavailable()).isEqualTo("the database cannot be used: no commit has completed yet");
        play("""
                b sees 1 standby        | none
                a fails The connection attempt failed. | none
                c sees 1 standby        | none""");
        assertThat(state.unavailable()).isEqualTo("the database cannot be used: a: The connection attempt failed.;"
                + " b: the database is a standby; c: the database is a standby");
    }

    @Test
    void defectIsLoggedOnce() {
        play("""
                a breaks null           | none; the watch of a failed and goes on: Error: null
                a breaks null           | none
                a breaks other          | none; the watch of a failed and goes on: Error: other""");
    }

    /// A commit that succeeds does not mend what the opening fails for.
    @Test
    void reasonOfFailedOpeningStaysUntilServerIsOpened() {
        String reason = "the database cannot be used: a: full";
        play("""
                a proves 1              | opening a, epoch 1; open a with keys
                opening breaks          | none; the watch of a failed and goes on: Error: full
                a proves 1              | opening a, epoch 2; open a with keys
                a proves 1              | opening a, epoch 2""");
        assertThat(state.unavailable()).isEqualTo(reason);
        play("""
                opening breaks          | none
                a proves 1              | opening a, epoch 3; open a with keys
                opened                  | primary a, epoch 3; again
                silent 1900             | none; unusable: a: no commit has completed for 1.90 s; the server or its synchronous standby does not respond; close a; ask all""");
    }

    /// The process was paused, so the last commit is too old before requests use the server.
    @Test
    void serverIsNotUsedIfItsCommitIsTooOldWhenItIsOpened() {
        play("""
                a proves 1              | opening a, epoch 1; open a with keys
                opened late after 3000 ms | none; close a; ask all""");
        assertThat(state.unavailable()).contains("a: the service was paused; its last commit is 3.00 s old");
        play("""
                a proves 1              | opening a, epoch 2; open a with keys
                opened                  | primary a, epoch 2; again""");
    }

    @Test
    void endClosesServerInUse() {
        play("""
                a serves 1              | primary a, epoch 1
                b asked                 | primary a, epoch 1
                ends                    | closed; close a; ask all
                b proves 2              | closed
                a sees 1 standby        | closed
                a pooled                | closed
                ends                    | closed""");
    }

    @Test
    void endOvertakesOpening() {
        play("""
                a proves 1              | opening a, epoch 1; open a with keys
                ends                    | closed; ask all
                opened                  | closed; close a""");
    }

    @Test
    void endWithoutServer() {
        play("""
                ends                    | closed; ask all
                a proves 1              | closed""");
    }

    /// A start that waits for this server says why.
    @Test
    void reasonOfServerThatIsSlowToOpen() {
        play("""
                a proves 1              | opening a, epoch 1; open a with keys
                silent 1900             | none; ask all""");
        assertThat(state.reasons()).containsOnlyKeys("a").containsValue(
                "no commit has completed for 1.90 s; the server or its synchronous standby does not respond");
    }

    @Test
    void numbersOfServerOnlyRise() {
        play("a serves 1 v1.5 | primary a, epoch 1");
        Adoption adoption = state.used().orElseThrow();
        long trust = Adoption.TRUST.toNanos();
        adoption.committed(20);
        adoption.committed(10);
        adoption.reached(new CatalogueVersion(2, 3), 40);
        adoption.reached(new CatalogueVersion(1, 9), 30);
        assertThat(adoption.isTrusted(trust + 19)).isTrue();
        assertThat(adoption.isTrusted(trust + 20)).isFalse();
        assertThat(adoption.version()).isEqualTo(new CatalogueVersion(2, 9));
        assertThat(adoption.findEpoch(trust + 39)).contains(2L);
        assertThat(adoption.findEpoch(trust + 40)).isEmpty();
    }

    /// Effects are taken one by one, while others may follow.
    @Test
    void effectsKeepTheirOrder() {
        Transition all = new Transition(state).next(new Observation.Proved(0, "a", server("1"),
                new CatalogueVersion(0, 0), new CatalogueVersion(0, 0), 0, Duration.ZERO))
                .next(new Observation.Ended());
        assertThat(all.effects()).extracting(this::text).containsExactly("open a with keys", "ask all");
        assertThat(all.withoutFirst().effects()).extracting(this::text).containsExactly("ask all");
        assertThat(all.withoutFirst().withoutFirst().withoutFirst().effects()).isEmpty();
    }

    private void play(String scenario) {
        scenario.lines().forEach(line -> {
            String[] columns = line.split("\\|", -1);
            assertThat(line(columns[0].strip())).as(line).isEqualTo(columns[1].strip());
        });
    }

    /// Applies the observations of a line. Returns the phase and the effects. `serves` means `proves` and `opened`.
    private String line(String event) {
        if (event.contains(" serves ")) {
            String proved = line(event.replace("serves", "proves"));
            return openings.isEmpty() ? proved : line("opened");
        }
        List<String> results = new ArrayList<>();
        for (Observation observation : observations(event.split(" ", 3))) {
            Transition next = Rules.next(state, observation);
            state = next.state();
            // No outage ends in the first term.
            next.effects().stream().filter(effect -> !(effect instanceof Effect.Usable) || state.term() > 0)
                    .forEach(effect -> results.add(text(effect)));
        }
        results.addFirst(phase());
        return String.join("; ", results);
    }

    private List<Observation> observations(String... words) {
        String first = words[0];
        String rest = words.length > 2 ? words[2] : "";
        return switch (words.length > 1 && first.length() == 1 ? words[1] : first) {
            case "asked" -> {
                asked.put(first, new Asked(state.term(), known()));
                yield List.of();
            }
            case "sees" -> List.of(new Observation.Seen(first, server(rest)));
            case "proves" -> {
                Asked since = since(first);
                yield List.of(new Observation.Seen(first, server(rest)), new Observation.Proved(since.term(), first,
                        server(rest), since.known(), version(rest), 0, age(rest)));
            }
            case "claims" ->
                List.of(new Observation.Proved(state.term(), first, server(rest), known(), version(rest), 0,
                        age(rest)));
            case "fails" -> List.of(new Observation.Failed(first, rest, Optional.empty()));
            case "breaks" -> List.of(new Observation.Failed(first, rest, Optional.of("Error: " + rest)));
            case "pooled" -> List.of(new Observation.Pooled(since(first).term(), first, "pooler"));
            case "read" -> read(version(words[1]));
            case "suspended" -> List.of(new Observation.Suspended(state.term()));
            case "silent" -> List.of(silent(state.term(), words[1]));
            case "late" -> List.of(words[1].equals("fell")
                    ? new Observation.Fell(state.term() - 1)
                    : silent(state.term() - 1, rest));
            case "opened" -> {
                Adoption adoption = openings.remove();
                yield List.of(new Observation.Opened(adoption.term(), new Connected(adoption.host()), age(rest)));
            }
            case "opening" -> List.of(new Observation.OpeningFailed(openings.element().term(),
                    new Observation.Failed(openings.remove().host(), "full",
                            Optional.of("Error: full").filter(_ -> words[1].equals("breaks")))));
            case "ends" -> List.of(new Observation.Ended());
            default -> throw new IllegalArgumentException(String.join(" ", words));
        };
    }

    private Asked since(String host) {
        return Optional.ofNullable(asked.remove(host)).orElseGet(() -> new Asked(state.term(), known()));
    }

    private CatalogueVersion known() {
        return state.last().map(Adoption::version).orElse(new CatalogueVersion(0, 0));
    }

    /// Reads a version on the server in use, as a request does.
    private List<Observation> read(CatalogueVersion read) {
        Adoption used = state.used().orElseThrow();
        CatalogueVersion version = used.versionOf(read);
        if (version.fellBelow(used.version())) {
            return List.of(new Observation.Fell(used.term()));
        }
        used.reached(version, 0);
        return List.of();
    }

    private static Observation silent(long term, String ms) {
        return new Observation.Silent(term, Duration.ofMillis(Long.parseLong(ms)));
    }

    private static ServerState server(String text) {
        return new ServerState(
                new ServerState.Lineage(text.contains("foreign") ? "other" : "one", "16384",
                        Long.parseLong(text.substring(0, 1))),
                text.contains("restarted") ? "2" : "1", text.contains("standby"), text.contains("read-only"),
                text.contains("unsafe") ? "fsync" : "");
    }

    private static CatalogueVersion version(String text) {
        Matcher version = VERSION.matcher(text);
        return version.find()
                ? new CatalogueVersion(Long.parseLong(version.group(1)), Long.parseLong(version.group(2)))
                : new CatalogueVersion(0, 5);
    }

    private static Duration age(String text) {
        Matcher age = AGE.matcher(text);
        return Duration.ofMillis(age.find() ? Long.parseLong(age.group(1)) : 0);
    }

    private String phase() {
        return switch (state.phase()) {
            case State.None _ -> "none";
            case State.Opening(var adoption) -> "opening " + text(adoption);
            case State.Primary(var adoption, _) -> "primary " + text(adoption);
            case State.Closed _ -> "closed";
        };
    }

    private static String text(Adoption adoption) {
        return adoption.host() + ", epoch " + adoption.version().epoch();
    }

    private String text(Effect effect) {
        return switch (effect) {
            case Effect.Open(var adoption) -> {
                openings.add(adoption);
                yield "open " + adoption.host() + (adoption.beginsEpoch() ? " with keys" : "");
            }
            case Effect.Close(var connections) -> "close " + ((Connected) connections).host();
            case Effect.AskAll _ -> "ask all";
            case Effect.Unusable(var reason) -> "unusable: " + reason;
            case Effect.Usable _ -> "again";
            case Effect.Log(var line) -> FOREIGN.matcher(
                    OLDER.matcher(line).replaceFirst("$1 refused: $2 < $3")).replaceFirst("$1 refused: foreign");
        };
    }
}
