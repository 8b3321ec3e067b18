package petstore.store.postgres.watch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

import org.junit.jupiter.api.Test;
import petstore.CatalogueVersion;
import petstore.store.postgres.watch.ServerState.Lineage;

import static org.assertj.core.api.Assertions.assertThat;

/// Random sequences of observations, as threads of hosts, requests, the clock and the effects make them. After each, what keeps
/// acknowledged animals must hold.
class RulesRandomTest {

    private static final int WALKS = 3_000;
    private static final int STEPS = 200;

    /// The seed is part of every message.
    @Test
    void everyWalkKeepsInvariants() {
        long first = System.nanoTime();
        for (long seed = first; seed < first + WALKS; seed++) {
            new Walk(seed).run();
        }
    }

    private static final class Connected implements State.Connections {
        private final Adoption adoption;
        private int closed;

        Connected(Adoption adoption) {
            this.adoption = adoption;
        }

        @Override
        public void close() {
            closed++;
        }
    }

    /// A host, and how far its thread is with a question.
    private static final class Host {
        private final String name;
        private ServerState server;
        private Optional<State> asked = Optional.empty();
        private ServerState shown;
        private Optional<CatalogueVersion> known = Optional.empty();

        Host(String name, ServerState server) {
            this.name = name;
            this.server = server;
            this.shown = server;
        }
    }

    /// A request that reads the version of a server.
    private record Request(Adoption adoption, CatalogueVersion known) {
    }

    private static final class Walk {

        private final long seed;
        private final RandomGenerator random;
        private State state = new State(Cluster.UNKNOWN);
        private final List<Host> hosts = new ArrayList<>();
        /// The data of each lineage that a server has.
        private final Map<Lineage, CatalogueVersion> data = new HashMap<>();
        private final Map<String, Long> latest = new HashMap<>();
        private final Deque<Effect> effects = new ArrayDeque<>();
        private Optional<Adoption> opening = Optional.empty();
        private final List<Connected> opened = new ArrayList<>();
        private final Deque<Request> requests = new ArrayDeque<>();
        private final Map<Long, Lineage> answered = new HashMap<>();
        private long lastEpoch;
        private Optional<Lineage> lastLineage = Optional.empty();

        Walk(long seed) {
            this.seed = seed;
            this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            for (String name : List.of("a", "b", "c")) {
                hosts.add(new Host(name, randomServer()));
            }
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                step(random.nextInt(12));
            }
            observe(new Observation.Ended());
            while (!effects.isEmpty() || opening.isPresent()) {
                carryOut();
            }
            assertThat(opened).as("seed %d", seed).allMatch(connections -> connections.closed == 1);
        }

        private void step(int kind) {
            Host host = hosts.get(random.nextInt(hosts.size()));
            switch (kind) {
                case 0 -> host.server = randomServer();
                case 1, 2, 3, 4, 5 -> ask(host);
                case 6, 7 -> carryOut();
                case 8 -> changeData(host.server.lineage());
                case 9 -> beginRequest();
                case 10 -> endRequest();
                default -> state.used().ifPresent(used -> observe(new Observation.Silent(
                        used.term() - random.nextInt(2), Duration.ofMillis(1_600 + random.nextInt(600)))));
            }
        }

        private ServerState randomServer() {
            return new ServerState(new Lineage(random.nextInt(8) == 0 ? "other" : "one", "1", 1 + random.nextInt(4)),
                    String.valueOf(random.nextInt(2)), random.nextInt(4) == 0, random.nextInt(8) == 0, "");
        }

        private CatalogueVersion data(Lineage lineage) {
            return data.computeIfAbsent(lineage,
                    _ -> new CatalogueVersion(random.nextInt(3), random.nextInt(5)));
        }

        /// Animals are added or changed by SQL; or rarely, an older state is restored.
        private void changeData(Lineage lineage) {
            CatalogueVersion before = data(lineage);
            data.put(lineage, random.nextInt(10) == 0
                    ? new CatalogueVersion(random.nextLong(before.epoch() + 1), random.nextLong(before.lastId() + 1))
                    : new CatalogueVersion(before.epoch() + random.nextInt(2), before.lastId() + random.nextInt(3)));
        }

        /// Does the next step of a host's thread, as the watch does them.
        private void ask(Host host) {
            if (host.asked.isEmpty()) {
                host.asked = Optional.of(state);
                host.shown = host.server;
                observe(new Observation.Seen(host.name, host.shown));
                if (Refusal.of(host.shown, state.cluster(), true).isPresent()
                        || state.term() != host.asked.get().term()) {
                    host.asked = Optional.empty();
                }
                return;
            }
            State since = host.asked.get();
            if (host.known.isEmpty()) {
                host.known = Optional.of(since.last().map(Adoption::version).orElse(new CatalogueVersion(0, 0)));
                return;
            }
            switch (random.nextInt(8)) {
                case 0 -> observe(new Observation.Failed(host.name, "failed", Optional.empty()));
                case 1 -> observe(new Observation.Pooled(since.term(), host.name, "pooled"));
                default -> observe(new Observation.Proved(since.term(), host.name, host.shown, host.known.get(),
                        data(host.shown.lineage()), 0, Duration.ofMillis(random.nextInt(1_100))));
            }
            host.asked = Optional.empty();
            host.known = Optional.empty();
        }

        /// Carries out the next effect, or ends an opening.
        private void carryOut() {
            if (opening.isPresent()) {
                Adoption adoption = opening.get();
                opening = Optional.empty();
                if (random.nextInt(4) == 0) {
                    observe(new Observation.OpeningFailed(adoption.term(),
                            new Observation.Failed(adoption.host(), "full", Optional.empty())));
                } else {
                    Connected connections = new Connected(adoption);
                    opened.add(connections);
                    observe(new Observation.Opened(adoption.term(), connections, Duration.ZERO));
                }
                return;
            }
            switch (effects.poll()) {
                case Effect.Open(var adoption) -> opening = Optional.of(adoption);
                case Effect.Close(var connections) -> connections.close();
                case null, default -> {
                }
            }
        }

        private void beginRequest() {
            if (state.phase() instanceof State.Primary(var adoption, _)) {
                requests.add(new Request(adoption, adoption.version()));
            }
        }

        /// A request reads a version, as `CurrentPrimary` does, and is answered if its term goes on.
        private void endRequest() {
            Request request = requests.poll();
            if (request == null) {
                return;
            }
            Adoption adoption = request.adoption();
            CatalogueVersion version = adoption.versionOf(data(adoption.server().lineage()));
            if (version.fellBelow(request.known())) {
                observe(new Observation.Fell(adoption.term()));
            } else {
                adoption.reached(version, 0);
            }
            if (state.term() == adoption.term()) {
                assertThat(answered.putIfAbsent(version.epoch(), adoption.server().lineage())).as("seed %d", seed)
                        .isIn(null, adoption.server().lineage());
            }
        }

        private void observe(Observation observation) {
            State before = state;
            Transition next = Rules.next(before, observation);
            state = next.state();
            effects.addAll(next.effects());
            if (observation instanceof Observation.Seen(_, var server)) {
                latest.merge(server.lineage().system(), server.lineage().timeline(), Math::max);
            }
            assertInvariants(before, () -> "seed %d, %s: %s → %s".formatted(seed, observation, before, state));
        }

        private void assertInvariants(State before, Supplier<String> step) {
            assertThat(state.term()).as(step).isBetween(before.term(), before.term() + 1);
            boolean changed = !before.used().equals(state.used());
            if (before.used().isPresent() && changed) {
                assertThat(state.used()).as(step).isEmpty();
                assertThat(state.term()).as(step).isEqualTo(before.term() + 1);
                lastEpoch = Math.max(lastEpoch, before.used().get().version().epoch());
            }
            state.used().ifPresent(used -> {
                Lineage lineage = used.server().lineage();
                assertThat(used.term()).as(step).isEqualTo(state.term());
                assertThat(lineage.system()).as(step).isEqualTo(state.cluster().system());
                assertThat(lineage.timeline()).as(step).isGreaterThanOrEqualTo(latest.get(lineage.system()));
                if (changed) {
                    assertThat(used.version().epoch()).as(step)
                            .isGreaterThanOrEqualTo(used.beginsEpoch() ? lastEpoch + 1 : lastEpoch);
                    assertThat(used.beginsEpoch() || lastLineage.equals(Optional.of(lineage))).as(step).isTrue();
                    lastLineage = Optional.empty();
                }
            });
            if (state.phase() instanceof State.Primary(var adoption, Connected connections)) {
                assertThat(connections.adoption).as(step).isSameAs(adoption);
                assertThat(connections.closed).as(step).isZero();
                lastLineage = Optional.of(adoption.server().lineage());
            }
        }
    }
}
