package petstore.cli.terminal;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jline.utils.WCWidth;
import petstore.SafeText;

/// Rows of text as a table with aligned columns.
public final class TextTable {

    private static final String GAP = "  ";

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

    /// Returns the number of columns of a text on a terminal: two for an East Asian character, none for a combining mark.
    private static int width(String text) {
        return text.codePoints().map(WCWidth::wcwidth).sum();
    }
}
