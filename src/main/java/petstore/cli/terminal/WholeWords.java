package petstore.cli.terminal;

import java.util.List;

import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// Help whose lines end between words. Picocli itself also breaks a line within a URL or an abbreviation.
public final class WholeWords extends Help {

    private static final String INDENT = "  ";

    public WholeWords(CommandSpec command, ColorScheme colors) {
        super(command, colors);
    }

    @Override
    public Layout createDefaultLayout(List<OptionSpec> options,
            List<PositionalParamSpec> positionals, ColorScheme colors) {
        TextTable usual = TextTable.forDefaultColumns(colors, calcLongOptionColumnWidth(options, positionals, colors),
                commandSpec().usageMessage().width());
        TextTable wrapping = new TextTable(colors, usual.columns()) {
            @Override
            public Cell putValue(int row, int column, Ansi.Text value) {
                Column last = columns()[columns().length - 1];
                int width = last.width - last.indent;
                String text = value.plainString();
                int end = text.lastIndexOf(' ', width);
                if (column < columns().length - 1 || text.length() <= width || end <= INDENT.length()) {
                    return super.putValue(row, column, value);
                }
                super.putValue(row, column, value.substring(0, end));
                addEmptyRow();
                return putValue(row + 1, column, colors.text(INDENT).concat(value.substring(end + 1)));
            }
        };
        return new Layout(colors, wrapping, createDefaultOptionRenderer(), createDefaultParameterRenderer());
    }
}
