import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Runs the measurements of [Works]: in each round the service, then its peers.
final class Run {

    private final Lab lab;
    private final Options options;

    private Run(Lab lab, Options options) {
        this.lab = lab;
        this.options = options;
    }

    /// Usage: Run ROUNDS SECONDS WARM_UP GROUPS LARGE OUT, by `bench/run`, which documents the exit codes.
    public static void main(String[] arguments) throws Exception {
        Options options = Options.of(arguments);
        Lab lab = new Lab();
        String programs = System.getProperty("bench.postgres");
        Optional<PostgresCluster> postgres = programs.isEmpty()
                ? Optional.empty()
                : Optional.of(new PostgresCluster(lab, Path.of(programs)));
        System.exit(new Run(lab, options).run(new Works(lab, postgres, options).all(), postgres));
    }

    private int run(List<Work> all, Optional<PostgresCluster> postgres) throws Exception {
        Set<String> groups = all.stream().map(Work::group).collect(Collectors.toSet());
        if (!groups.containsAll(options.only())) {
            throw new IllegalStateException("the groups of bench/run are not those of Works: " + groups);
        }
        String setting;
        try {
            setting = setting(postgres);
        } catch (IOException e) {
            System.err.println("bench/run: " + e.getMessage().strip());
            return 2;
        }
        List<Result> results = new ArrayList<>();
        for (Work work : all) {
            if (options.only().isEmpty() || options.only().contains(work.group())) {
                List<Result> rows = measure(work);
                if (lab.isEnding()) {
                    return 1;
                }
                results.addAll(rows);
                write(new Report(setting, options, results));
            }
        }
        System.out.print(new Report(setting, options, results).markdown());
        return results.stream().allMatch(result -> result.error() == null) ? 0 : 1;
    }

    /// Writes the results so far. Called after each work, so that an interrupted run keeps its rows.
    private void write(Report report) throws IOException {
        Files.writeString(options.out().resolve("results.md"), report.markdown());
        Files.writeString(options.out().resolve("results.json"), report.json());
        Files.writeString(options.out().resolve("chart.svg"), Chart.of(report.results()));
    }

    private List<Result> measure(Work work) {
        List<Sample> service = new ArrayList<>();
        List<List<Sample>> peers = new ArrayList<>();
        work.comparisons().forEach(_ -> peers.add(new ArrayList<>()));
        String error = null;
        try {
            for (int round = 1; round <= options.rounds(); round++) {
                service.add(run(work, "service", work.service(), round));
                for (int i = 0; i < peers.size(); i++) {
                    Work.Comparison comparison = work.comparisons().get(i);
                    if (comparison.trial() != null) {
                        peers.get(i).add(run(work, comparison.peer(), comparison.trial(), round));
                    }
                }
            }
        } catch (Exception e) {
            error = e.getMessage() == null ? e.toString() : e.getMessage();
            if (!lab.isEnding()) {
                System.err.println("FAILED: " + work.name() + ": " + error);
            }
        }
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < peers.size(); i++) {
            results.add(new Result(work, work.comparisons().get(i), new Result.Figures(service),
                    new Result.Figures(peers.get(i)), error));
        }
        return results;
    }

    private Sample run(Work work, String subject, Work.Trial trial, int round) throws Exception {
        Sample sample = trial.run(round);
        System.err.printf("%d/%d %s, %s: %s %s%n", round, options.rounds(), work.name(), subject,
                Report.number(sample.value()), work.unit());
        return sample;
    }

    /// Returns the versions and the machine.
    private String setting(Optional<PostgresCluster> postgres) throws Exception {
        String version = lab.run(List.of(lab.home.resolve("petstore").toString(), "--version"), Map.of()).strip();
        String database = postgres.isPresent() ? ", PostgreSQL " + postgres.get().version() : "";
        return "%s%s, %d cores, %s".formatted(version, database,
                Runtime.getRuntime().availableProcessors(), LocalDate.now(ZoneOffset.UTC));
    }
}
