import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All measurements and their targets.
final class Works {

    private static final String CEILING = "ceiling";
    private static final long SMALL = 10_000;
    private static final long MEDIUM = 100_000;
    private static final long MILLION = 1_000_000;
    private static final int TRAINING_SECONDS = 5;
    private static final long IDLE_MS = 2_000;
    /// The number of turns of the service and the ceiling in a round. They alternate, because the speed of a shared machine changes
    /// within a minute.
    private static final int TURNS = 5;

    private final Lab lab;
    private final Wrk wrk;
    private final SqliteStores sqlite;
    private final Optional<PostgresCluster> postgres;
    private final int seconds;
    private final int warmUp;
    private final long large;
    private String ceilingCache;

    Works(Lab lab, Optional<PostgresCluster> postgres, Options options) {
        this.lab = lab;
        this.wrk = new Wrk(lab);
        this.sqlite = new SqliteStores(lab);
        this.postgres = postgres;
        this.seconds = options.seconds();
        this.warmUp = options.warmUp();
        this.large = options.large();
    }

    List<Work> all() {
        List<Work> works = new ArrayList<>();
        Load list = Load.get("/v1/pets", lab.key);
        Work.Target reads = Work.Target.atLeast(0.75);
        works.add(toCeiling("list", "list of 20", this::medium, list, reads));
        works.add(toCeiling("list", "list of 20, one status", this::medium, Load.get("/v1/pets?status=sold", lab.key), reads));
        works.add(toCeiling("list", "list of 100", this::medium, Load.get("/v1/pets?limit=100", lab.key), reads));
        works.add(toCeiling("fetch", "fetch by id, any of 100,000", this::medium,
                Load.random("/v1/pets/ID", MEDIUM, lab.key), Work.Target.atLeast(0.53)));
        works.add(toCeiling("deep", "list of 20 from anywhere in 1,000,000", () -> sqlite.shared(MILLION),
                Load.random("/v1/pets?limit=20&after=ID", MILLION - 100, lab.key), Work.Target.atLeast(0.31),
                new Work.Comparison("SQLite alone, one thread", _ -> sqlite.pagesAlone(MILLION, seconds), null)));
        works.add(toCeiling("create", "create, 64 clients", this::mediumCopy, Load.create(lab.key), Work.Target.atLeast(0.44),
                new Work.Comparison("SQLite alone, a transaction each", _ -> sqlite.insertAlone(MEDIUM, seconds),
                        Work.Target.atLeast(6))));
        works.add(toCeiling("mixed", "90 % list, 10 % create, 64 clients", this::mediumCopy, Load.mixed(lab.key),
                Work.Target.atLeast(0.53)));
        works.add(toCeiling("refused", "refused, 401", this::medium, Load.refused(), reads));
        works.add(latency(list));
        works.add(start());
        works.add(memory("memory when idle, 1,000,000 animals", false));
        works.add(memory("memory after load, 1,000,000 animals", true));
        works.addAll(growth("growth", "SQLite", sqlite));
        postgres.ifPresent(cluster -> {
            works.addAll(postgres(cluster, list));
            works.addAll(growth("growth-postgresql", "PostgreSQL", cluster));
        });
        return works;
    }

    private interface StoreMaker {
        Store make() throws Exception;
    }

    private Store medium() throws Exception {
        return sqlite.shared(MEDIUM);
    }

    private Store mediumCopy() throws Exception {
        return sqlite.copy(MEDIUM);
    }

    /// Measures a warm server.
    private interface Turn {
        /// @param turn counts from 1
        Sample run(Server server, int turn) throws Exception;
    }

    private interface Preparation {
        /// Returns the measurement for the turns of a round, once the service is warm.
        ///
        /// @param bytes the mean size of a response
        Turn of(Server service, int round, double bytes) throws Exception;
    }

    private Work toCeiling(String group, String name, StoreMaker store, Load load, Work.Target target,
            Work.Comparison... more) {
        return toCeiling(group, name, "req/s", store, load, (_, round, bytes) -> (server, turn) -> run(server, load,
                seed(round, turn), bytes), target, more);
    }

    private Work toCeiling(String group, String name, String unit, StoreMaker store, Load load, Preparation preparation,
            Work.Target target, Work.Comparison... more) {
        Path responses = lab.newPath("responses");
        Sample[] ceiling = new Sample[1];
        List<Work.Comparison> comparisons = new ArrayList<>();
        comparisons.add(new Work.Comparison(CEILING, _ -> ceiling[0], target));
        comparisons.addAll(List.of(more));
        return new Work(group, name, unit, round -> {
            try (Store its = store.make(); Server service = Server.service(lab, its, "")) {
                double bytes = warm(service, responses, load, round);
                // The ceiling sends the responses that were captured from the service.
                try (Server bare = Server.ceiling(lab, responses, load, ceilingCache())) {
                    warm(bare, responses, load, round);
                    List<Sample> medians = byTurns(List.of(service, bare), preparation.of(service, round, bytes));
                    ceiling[0] = medians.getLast();
                    return medians.getFirst();
                }
            }
        }, comparisons);
    }

    private static List<Sample> byTurns(List<Server> servers, Turn measure) throws Exception {
        List<List<Sample>> samples = List.of(new ArrayList<>(), new ArrayList<>());
        for (int turn = 1; turn <= TURNS; turn++) {
            for (int i = 0; i < servers.size(); i++) {
                samples.get(i).add(measure.run(servers.get(i), turn));
            }
        }
        return samples.stream().map(Sample::median).toList();
    }

    /// Returns the seed of the random requests of a turn, from 1 up, or of a run of the warm-up, from 0 down.
    private static long seed(int round, int turn) {
        return 1_000L * round + turn;
    }

    private Sample atService(StoreMaker maker, Path responses, Load load, int round) throws Exception {
        try (Store store = maker.make(); Server server = Server.service(lab, store, "")) {
            return warmAndRun(server, responses, load, round);
        }
    }

    /// Makes the AOT cache of the ceiling as the build makes the service's cache: by serving for a while.
    private String ceilingCache() throws Exception {
        if (ceilingCache == null) {
            Path cache = lab.newPath("ceiling.aot");
            Path responses = Files.createDirectory(lab.newPath("responses"));
            String body = "\r\nContent-Type: application/json\r\ncontent-length: 2\r\n\r\n[]";
            Files.writeString(responses.resolve("GET"), "HTTP/1.1 200 OK" + body);
            Files.writeString(responses.resolve("POST"), "HTTP/1.1 201 Created" + body);
            Load training = Load.mixed(lab.key);
            try (Server server = Server.ceiling(lab, responses, training, "-XX:AOTCacheOutput=" + cache)) {
                wrk.run(server.port, training, TRAINING_SECONDS, 0, "HTTP/1.1 200 OK".length() + body.length());
            }
            if (!Files.exists(cache)) {
                throw new IOException("the ceiling made no AOT cache");
            }
            ceilingCache = "-XX:AOTCache=" + cache;
        }
        return ceilingCache;
    }

    private Sample warmAndRun(Server server, Path responses, Load load, int round) throws Exception {
        double bytes = warm(server, responses, load, round);
        return run(server, load, seed(round, 1), bytes);
    }

    /// Empties the log before the run.
    private Sample run(Server server, Load load, long seed, double bytes) throws IOException, InterruptedException {
        server.emptyLog();
        return wrk.run(server.port, load, seconds, seed, bytes);
    }

    /// Warms a server up. Returns the mean size of a response.
    ///
    /// The random requests differ from the measured ones, so that no measured page is cached before. The runs have the measured length,
    /// because Java compiles much code again after connections have ended and begun a few times.
    private double warm(Server server, Path responses, Load load, int round) throws Exception {
        double bytes = load.capture(server.port, responses);
        for (int run = 0; run * seconds < warmUp; run++) {
            run(server, load, seed(round, -run), bytes);
        }
        return bytes;
    }

    /// The server and the load generator have a processor each. On shared ones, the durations would also measure waits for these.
    private Work latency(Load load) {
        Work work = toCeiling("latency", "p99 of list of 20, at half of its greatest rate", "ms", this::medium, load,
                (service, round, bytes) -> {
                    double rate = run(service, load, seed(round, 1), bytes).value() / 2;
                    return (server, _) -> paced(server, load, rate);
                }, Work.Target.atMost(2.3));
        return new Work(work.group(), work.name(), work.unit(), round -> {
            lab.separate(true);
            try {
                return work.service().run(round);
            } finally {
                lab.separate(false);
            }
        }, work.comparisons());
    }

    private Sample paced(Server server, Load load, double rate) throws IOException, InterruptedException {
        server.emptyLog();
        PacedLoad.run(server.port, load, rate / 2, 1);
        return PacedLoad.run(server.port, load, rate, seconds);
    }

    private Work start() {
        return new Work("start", "start to the first 200, 100,000 animals", "s", _ -> {
            requireCache();
            return startSeconds("");
        }, List.of(
                // Java's default: only the archive of its own classes. With this option the launcher uses no cache.
                new Work.Comparison("without the AOT cache", _ -> startSeconds("-Xshare:auto"), Work.Target.atMost(0.6)),
                new Work.Comparison("a limit", null, Work.Target.atMost(0.8))));
    }

    /// Throws [IOException] if the service starts without its cache, which it does not report.
    private void requireCache() throws Exception {
        String output = lab.run(List.of(lab.home.resolve("petstore").toString(), "serve", "--help"),
                Map.of("PETSTORE_JAVA_OPTIONS", "-XX:AOTMode=on -XshowSettings:properties"));
        if (!output.contains("petstore.cache = used")) {
            throw new IOException("the service starts without its AOT cache; ./petstore doctor says why");
        }
    }

    private Sample startSeconds(String javaOptions) throws Exception {
        try (Store store = medium(); Server server = Server.service(lab, store, javaOptions)) {
            return Sample.of(server.startSeconds());
        }
    }

    private Work memory(String name, boolean underLoad) {
        Load load = Load.random("/v1/pets?limit=20&after=ID", MILLION - 100, lab.key);
        Path responses = lab.newPath("responses");
        return new Work("memory", name, "MiB", round -> {
            try (Store store = sqlite.shared(MILLION); Server server = Server.service(lab, store, "")) {
                if (underLoad) {
                    warmAndRun(server, responses, load, round);
                } else {
                    Thread.sleep(IDLE_MS);
                }
                return Sample.of(server.residentMib());
            }
        }, List.of(new Work.Comparison("", null, null)));
    }

    /// Returns comparisons of the service on many animals with the service on a few.
    private List<Work> growth(String group, String database, Store.Source stores) {
        Work.Target same = Work.Target.atLeast(0.8);
        return List.of(
                growth(group, "first page", database, stores, _ -> Load.get("/v1/pets", lab.key), false, same),
                growth(group, "first page of a status", database, stores, _ -> Load.get("/v1/pets?status=sold", lab.key), false,
                        same),
                // No target: the blocks of the small store fit into memory, those of the large one do not.
                growth(group, "page from anywhere", database, stores,
                        animals -> Load.random("/v1/pets?after=ID&limit=LIMIT", animals - 100, lab.key), false, null),
                growth(group, "create, 64 clients", database, stores, _ -> Load.create(lab.key), true, same));
    }

    private interface LoadMaker {
        Load on(long animals);
    }

    private Work growth(String group, String name, String database, Store.Source stores, LoadMaker load, boolean adds,
            Work.Target target) {
        Path responses = lab.newPath("responses");
        return new Work(group, "%s: %s, %,d animals".formatted(database, name, large), "req/s",
                // Not a copy, which would wear the disk: a few more animals do not matter to the large store.
                round -> atService(() -> stores.shared(large), responses, load.on(large), round),
                List.of(new Work.Comparison("%,d animals".formatted(SMALL),
                        round -> atService(() -> adds ? stores.copy(SMALL) : stores.shared(SMALL), responses, load.on(SMALL),
                                round),
                        target)));
    }

    private List<Work> postgres(PostgresCluster cluster, Load list) {
        Path responses = lab.newPath("responses");
        Load deep = Load.random("/v1/pets?limit=20&after=ID", MEDIUM - 100, lab.key);
        Load create = Load.create(lab.key);
        return List.of(
                new Work("postgresql", "PostgreSQL: list of 20", "req/s",
                        round -> atService(() -> cluster.shared(MEDIUM), responses, list, round),
                        List.of(new Work.Comparison("pgbench",
                                _ -> cluster.pagesAlone(MEDIUM, 0, list.connections(), warmUp, seconds),
                                Work.Target.atLeast(0.6)))),
                new Work("postgresql", "PostgreSQL: list of 20 from anywhere in 100,000", "req/s",
                        round -> atService(() -> cluster.shared(MEDIUM), responses, deep, round),
                        List.of(new Work.Comparison("pgbench",
                                _ -> cluster.pagesAlone(MEDIUM, MEDIUM - 100, deep.connections(), warmUp, seconds), null))),
                new Work("postgresql", "PostgreSQL: create, 64 clients", "req/s",
                        round -> atService(() -> cluster.copy(MEDIUM), responses, create, round),
                        List.of(new Work.Comparison("pgbench",
                                _ -> cluster.insertAlone(MEDIUM, create.connections(), warmUp, seconds),
                                Work.Target.atLeast(1)))));
    }
}
