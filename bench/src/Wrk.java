import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Closed-loop load by the program wrk: each client sends a request once it has the response to the one before.
final class Wrk {

    private static final Pattern REPORT = Pattern
            .compile("(?m)^bench (\\d+) (\\d+) (\\d+) (\\d+) (\\d+) (\\d+) (\\d+)$");
    private static final int THREADS = 2;
    /// The tolerance of the mean size of a response, compared with the captured response. If requests differ, numbers have more or
    /// fewer digits.
    private static final double TOLERANCE = 0.1;
    private static final double TOLERANCE_OF_SAME = 0.001;

    private final Lab lab;
    private final Path scripts;

    Wrk(Lab lab) {
        this.lab = lab;
        this.scripts = lab.home.resolve("bench/wrk");
    }

    /// Returns the requests a second and their durations. Errors: [IOException] if a single response is wrong or missing.
    ///
    /// @param seed the seed of the random requests
    /// @param bytes the size of a correct response
    Sample run(int port, Load load, int seconds, long seed, double bytes) throws IOException, InterruptedException {
        String path = load.path().contains("ID") ? "/" : load.path();
        // The scripts load report.lua from the working folder.
        List<String> command = new ArrayList<>(List.of("env", "-C", scripts.toString(), "wrk", "-t" + THREADS,
                "-c" + load.connections(), "-d" + seconds + "s", "--timeout", "10s", "-s", load.script(),
                "-H", "Authorization: Bearer " + load.key(), "http://127.0.0.1:" + port + path, "--",
                String.valueOf(seed), load.path(), String.valueOf(load.greatest()), Load.BODY));
        String output = lab.run(command, Map.of());
        Matcher report = REPORT.matcher(output);
        if (!report.find()) {
            throw new IOException("wrk did not report: " + output);
        }
        long[] number = new long[8];
        for (int i = 1; i < number.length; i++) {
            number[i] = Long.parseLong(report.group(i));
        }
        long requests = number[1];
        verify(load, requests, number[4], number[5], number[3], bytes);
        return new Sample(requests * 1e6 / number[2], number[6] / 1e3, number[7] / 1e3);
    }

    /// wrk counts statuses from 400 on. The size shows other wrong responses, e.g. a 304 instead of a 200.
    private static void verify(Load load, long requests, long refused, long broken, double read, double bytes)
            throws IOException {
        long expected = load.status() >= 400 ? requests : 0;
        if (requests == 0 || broken > 0 || refused != expected) {
            throw new IOException(requests + " responses, " + broken + " broken connections, " + refused
                    + " responses with a status of 400 or more, expected " + expected);
        }
        // wrk reads responses that began before the end, but does not count them.
        double tolerance = load.script().equals("get.lua") ? TOLERANCE_OF_SAME : TOLERANCE;
        double least = requests * bytes * (1 - tolerance);
        double most = (requests + load.connections()) * bytes * (1 + tolerance);
        if (read < least || read > most) {
            throw new IOException("responses have " + read / requests + " bytes instead of " + bytes);
        }
    }
}
