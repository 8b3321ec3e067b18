package petstore.cli.terminal;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import petstore.SafeText;

/// Rows of text as a table with aligned columns.
public final class TextTable {

    private TextTable() {
    }

    /// Returns rows of equal length as lines, each with a line feed at its end. The first row has the headings.
    public static String of(List<List<String>> texts) {
        List<List<String>> rows = texts.stream().map(row -> row.stream().map(SafeText::of).toList()).toList();
        List<Integer> widths = IntStream.range(0, rows.getFirst().size())
                .mapToObj(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0)).toList();
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining());
    }

    private static String line(List<String> row, List<Integer> widths) {
        return IntStream.range(0, row.size())
                .mapToObj(column -> row.get(column) + " ".repeat(widths.get(column) - row.get(column).length()))
                .collect(Collectors.joining("  ")).stripTrailing() + "\n";
    }
}
