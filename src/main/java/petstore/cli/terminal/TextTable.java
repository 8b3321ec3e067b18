package petstore.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import petstore.SafeText;

/// Rows of text as a table with aligned columns.
public final class TextTable {

    private static final String GAP = "  ";
    /// Characters that are two columns wide: East Asian characters and most emoji.
    private static final Pattern WIDE = Pattern.compile("[\\p{IsIdeographic}\\p{IsHiragana}\\p{IsKatakana}\\p{IsHangul}"
            + "\\p{IsEmoji_Presentation}\\u3000-\\u303e\\uff01-\\uff60\\uffe0-\\uffe6&&[^\\uff61-\\uffdc]]");
    /// Combining marks, which have no width.
    private static final Pattern MARK = Pattern.compile("[\\p{Mn}\\p{Me}]");

    private TextTable() {
    }

    /// Returns rows of equal length as lines, each with a line feed at its end. The first row may have headings.
    public static String of(List<List<String>> texts) {
        List<List<String>> rows = texts.stream().map(row -> row.stream().map(SafeText::of).toList()).toList();
        List<Integer> widths = IntStream.range(0, rows.getFirst().size())
                .mapToObj(column -> rows.stream().mapToInt(row -> width(row.get(column))).max().orElse(0)).toList();
        return rows.stream().map(row -> IntStream.range(0, row.size())
                .mapToObj(column -> row.get(column) + " ".repeat(widths.get(column) - width(row.get(column))))
                .collect(Collectors.joining(GAP)).stripTrailing() + "\n").collect(Collectors.joining());
    }

    /// Returns rows as [#of] does, with texts of one column cut so that no line is longer than `width`.
    ///
    /// @param cut the index of that column
    public static String fitting(int width, int cut, List<List<String>> texts) {
        int used = of(texts.stream().map(row -> with(row, cut, "")).toList()).lines().mapToInt(TextTable::width).max()
                .orElse(0);
        return of(texts.stream()
                .map(row -> with(row, cut, shortened(SafeText.of(row.get(cut)), Math.max(1, width - used)))).toList());
    }

    private static List<String> with(List<String> row, int column, String text) {
        List<String> copy = new ArrayList<>(row);
        copy.set(column, text);
        return copy;
    }

    /// Returns the number of columns of a text on a terminal.
    private static int width(String text) {
        String narrow = WIDE.matcher(text).replaceAll("xx");
        return (int) MARK.matcher(narrow).replaceAll("").codePoints().count();
    }

    /// Returns a text with its end replaced by `…` if it is wider than `width`. Characters stay whole.
    private static String shortened(String text, int width) {
        if (width(text) <= width) {
            return text;
        }
        int end = 0;
        int next = 0;
        for (int left = width; left > 0; left -= width(text.substring(end, next))) {
            end = next;
            next = text.offsetByCodePoints(end, 1);
        }
        return text.substring(0, end) + "…";
    }
}
