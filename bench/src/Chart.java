import java.util.List;
import java.util.Locale;

/// A bar chart of the ratios. Each bar is scaled to its target, so all targets form one line. A longer bar is better, also for a
/// target of `at most`. The colours are legible on white and on black.
final class Chart {

    private static final int LABELS = 500;
    private static final int TARGET = 180;
    private static final double MOST = 1.75;
    private static final int FIGURES = 140;
    private static final int ROW = 24;
    private static final int TOP = 34;

    private Chart() {
    }

    static String of(List<Result> results) {
        List<Result> judged = results.stream().filter(Result::isJudged).toList();
        int width = (int) (LABELS + TARGET * MOST) + FIGURES;
        int height = TOP + judged.size() * ROW + 10;
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img" \
                font-family="system-ui, sans-serif" font-size="13" fill="#768390">
                <title>Results of the service, each bar scaled to its target</title>
                <text x="%3$d" y="18" text-anchor="middle">target</text>
                """, width, height, LABELS + TARGET));
        for (int i = 0; i < judged.size(); i++) {
            svg.append(bar(judged.get(i), TOP + i * ROW));
        }
        svg.append(String.format(Locale.ROOT, """
                <path d="M%d 24V%d" stroke="#768390" stroke-width="2" stroke-dasharray="4 3"/>
                </svg>
                """, LABELS + TARGET, height - 6));
        return svg.toString();
    }

    private static String bar(Result result, int y) {
        Work.Target target = result.comparison().target();
        double length = TARGET * Math.min(MOST, target.share(result.figure()));
        String unit = result.peer().isEmpty() ? " " + result.work().unit() : "";
        return String.format(Locale.ROOT, """
                <text x="%d" y="%d" text-anchor="end">%s</text>
                <rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>
                <text x="%.1f" y="%d">%s%s (%s)</text>
                """, LABELS - 8, y + 16, escape(label(result)), LABELS, y + 3, length, ROW - 6,
                result.isReached() ? "#3f8f5f" : "#c9733c", LABELS + Math.max(length, TARGET) + 8, y + 16,
                Report.ratio(result.figure()), unit, escape(target.toString()));
    }

    private static String label(Result result) {
        return result.peer().isEmpty() ? result.work().name() : result.work().name() + " ÷ " + result.comparison().peer();
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
