package petstore.transfer;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;

import petstore.CommandFailure;
import petstore.SafeText;

/// The first bytes of an imported file, which show another format.
final class FirstBytes {

    /// Advice for a spreadsheet in another format.
    static final String SAVE_AS = "save as CSV with commas, UTF-8";
    /// The end of a message about a missing header.
    static final String HEADER = "; a CSV file begins with a header, as " + CsvLineReader.HEADER;

    private static final int COUNT = 4096;
    /// The byte order mark of UTF-8, one character for each byte.
    private static final String MARK = "\u00EF\u00BB\u00BF";
    /// The zeros among the first four bytes of ASCII in UTF-16 or UTF-32.
    private static final Set<String> WIDE = Set.of("x0x0", "0x0x", "x000", "000x");

    private FirstBytes() {
    }

    /// Moves the file to its first line: for CSV, behind the byte order mark of spreadsheets.
    ///
    /// @throws CommandFailure for another format
    static void check(SeekableByteChannel file, Format format) throws IOException {
        String text = new String(Channels.newInputStream(file).readNBytes(COUNT), StandardCharsets.ISO_8859_1);
        int begin = format == Format.CSV && text.startsWith(MARK) ? MARK.length() : 0;
        if (isWide(text)) {
            throw new CommandFailure("line 1: encoded in UTF-16 or UTF-32; "
                    + (format == Format.CSV ? SAVE_AS : "save as UTF-8"));
        }
        if (format == Format.CSV) {
            requireCsv(text.substring(begin));
        }
        file.position(begin);
    }

    private static boolean isWide(String text) {
        String zeros = text.substring(0, Math.min(4, text.length())).replaceAll("[^\0]", "x").replace('\0', '0');
        return text.startsWith("\u00FE\u00FF") || text.startsWith("\u00FF\u00FE") || WIDE.contains(zeros);
    }

    private static void requireCsv(String text) {
        if (text.isEmpty()) {
            throw new CommandFailure("line 1: the file is empty" + HEADER);
        }
        if (text.startsWith("\u001F\u008B")) {
            throw new CommandFailure(
                    "line 1: compressed; unpack it, as in zcat FILE | " + SafeText.command("import - --format csv"));
        }
        if (text.startsWith("PK\u0003\u0004")) {
            throw new CommandFailure("line 1: a zip archive, as .xlsx files are; " + SAVE_AS);
        }
        String blank = text.substring(0, text.length() - text.stripLeading().length());
        String json = text.substring(blank.length());
        if (json.startsWith("{") || json.startsWith("[")) {
            throw new CommandFailure("line " + (blank + json.charAt(0)).lines().count() + ": begins with "
                    + json.charAt(0) + ", as JSON does; use --format ndjson");
        }
    }
}
