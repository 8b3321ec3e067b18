package petstore.cli.terminal;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import petstore.SafeText;
import petstore.json.ListJson;

/// The format of a list: for people, or for programs.
public enum ListFormat {
    TABLE, JSON;

    /// Returns rows as a table, or as JSON with the headings in lower case as names. A missing value is null; the table
    /// shows `-`.
    public String show(List<String> headings, List<? extends List<? extends @Nullable String>> rows) {
        return switch (this) {
            case TABLE -> TextTable.of(Stream.concat(Stream.of(headings), rows.stream()
                    .map(row -> row.stream().map(text -> text == null ? "-" : text).toList())).toList());
            case JSON ->
                SafeText.of(ListJson.rows(headings.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList(),
                        rows)) + "\n";
        };
    }
}
