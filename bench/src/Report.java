import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;

/// The results as a table and as JSON.
///
/// @param setting the versions and the machine
record Report(String setting, Options options, List<Result> results) {

    private static final String NOTHING = "–";

    String markdown() {
        StringBuilder text = new StringBuilder();
        text.append("%s; medians of %d rounds of %d s (lowest–highest), the service and its peer alternately.%n%n".formatted(setting,
                options.rounds(), options.seconds()));
        text.append("| Work | This service | Compared with | Its figure | Ratio | Target | Reached |"
                + " p50 / p99 in ms |\n");
        text.append("|---|--:|---|--:|--:|--:|---|--:|\n");
        results.forEach(result -> text.append(row(result)));
        return text.toString();
    }

    private static String row(Result result) {
        String peer = result.comparison().peer().isEmpty() ? NOTHING : result.comparison().peer();
        if (result.error() != null) {
            return "| %s | **failed**: %s | %s | | | | | |%n".formatted(result.work().name(),
                    result.error().lines().findFirst().orElse("").replace("|", "\\|"), peer);
        }
        Work.Target target = result.comparison().target();
        String unit = " " + result.work().unit();
        Result.Figures service = result.service();
        boolean compared = !result.peer().isEmpty();
        return "| %s | %s (%s–%s) | %s | %s | %s | %s | %s | %s |%n".formatted(result.work().name(),
                number(service.median()) + unit, number(service.least()), number(service.most()), peer,
                compared ? number(result.peer().median()) + unit : NOTHING,
                compared ? ratios(result.figures()) : NOTHING,
                target == null ? NOTHING : compared ? target.toString() : target + unit,
                target == null ? NOTHING : result.isReached() ? "yes" : "**no**",
                Double.isNaN(service.p99Ms()) ? NOTHING : number(service.p50Ms()) + " / " + number(service.p99Ms()));
    }

    static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }

    private static String ratios(Result.Figures figures) {
        return "%s (%s–%s)".formatted(ratio(figures.median()), ratio(figures.least()), ratio(figures.most()));
    }

    static String ratio(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    String json() throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeStringField("setting", setting);
            json.writeNumberField("rounds", options.rounds());
            json.writeNumberField("seconds", options.seconds());
            json.writeArrayFieldStart("results");
            for (Result result : results) {
                write(json, result);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return text + "\n";
    }

    private static void write(JsonGenerator json, Result result) throws IOException {
        json.writeStartObject();
        json.writeStringField("group", result.work().group());
        json.writeStringField("work", result.work().name());
        json.writeStringField("unit", result.work().unit());
        if (result.error() != null) {
            json.writeStringField("error", result.error());
        }
        write(json, "service", result.service());
        if (!result.peer().isEmpty()) {
            json.writeStringField("comparedWith", result.comparison().peer());
            write(json, "peer", result.peer());
            write(json, "ratio", result.figures());
        }
        Work.Target target = result.comparison().target();
        if (target != null) {
            json.writeNumberField(target.atLeast() ? "atLeast" : "atMost", target.bound());
        }
        if (result.isJudged()) {
            json.writeBooleanField("reached", result.isReached());
        }
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String name, Result.Figures figures) throws IOException {
        if (figures.isEmpty()) {
            return;
        }
        json.writeObjectFieldStart(name);
        json.writeNumberField("median", figures.median());
        json.writeNumberField("lowest", figures.least());
        json.writeNumberField("highest", figures.most());
        if (!Double.isNaN(figures.p99Ms())) {
            json.writeNumberField("p50Ms", figures.p50Ms());
            json.writeNumberField("p99Ms", figures.p99Ms());
        }
        json.writeArrayFieldStart("rounds");
        for (Sample sample : figures.samples()) {
            json.writeNumber(sample.value());
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
