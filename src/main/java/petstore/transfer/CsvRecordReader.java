package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import petstore.CommandFailure;

/// A reader of the records of CSV (RFC 4180). A record ends at LF, CR LF, CR or the end of the file. In quotes, LF ends a line but not
/// the record. FastCSV cannot read on behind a record that is too long. Confined to one thread.
final class CsvRecordReader {

    /// A record. A record of more than 64 KB has no fields.
    ///
    /// @param line the number of its first line, from 1
    /// @param lastLine the number of its last line
    /// @param fields at least one, with one character for each byte; empty if the record is too long
    record CsvRecord(long line, long lastLine, List<String> fields) {

        Optional<String> violation() {
            return fields.isEmpty()
                    ? Optional.of("the record is longer than " + MAX_RECORD_BYTES + " bytes"
                            + (lastLine > line ? "; it ends in line " + lastLine : ""))
                    : Optional.empty();
        }

        /// Returns true for a blank line, and for a row of commas, as spreadsheets save emptied rows.
        boolean isBlank() {
            return fields.size() == 1
                    ? fields.getFirst().isBlank()
                    : !fields.isEmpty() && fields.stream().allMatch(String::isEmpty);
        }
    }

    /// As for NDJSON, without the end of the line.
    private static final int MAX_RECORD_BYTES = 1 << 16;
    private static final int END = -1;

    private final InputStream in;
    private final byte[] buffer = new byte[1 << 16];
    private long bytesBeforeBuffer;
    private int position;
    private int end;
    private final byte[] field = new byte[MAX_RECORD_BYTES];
    private int length;
    private long lines;

    CsvRecordReader(InputStream in) {
        this.in = in;
    }

    /// Returns the number of lines read.
    long lines() {
        return lines;
    }

    /// Returns the next record, also a blank one; empty at the end of the file.
    ///
    /// @throws CommandFailure if quotes are wrong: the end of the record is then unknown
    Optional<CsvRecord> next() throws IOException {
        if (peek() == END) {
            return Optional.empty();
        }
        long line = lines + 1;
        long begin = bytesBeforeBuffer + position;
        List<String> fields = new ArrayList<>();
        boolean tooLong;
        int separator;
        do {
            length = 0;
            separator = peek() == '"' ? readQuoted(line) : readUnquoted();
            long bytes = bytesBeforeBuffer + position - begin - (separator == END ? 0 : 1);
            tooLong = bytes > MAX_RECORD_BYTES;
            if (!tooLong) {
                fields.add(new String(field, 0, length, StandardCharsets.ISO_8859_1));
            }
        } while (separator == ',');
        if (separator == '\r' && peek() == '\n') {
            position++;
        }
        lines++;
        return Optional.of(new CsvRecord(line, lines, tooLong ? List.of() : fields));
    }

    /// Reads a field and its separator. Returns the separator: a comma, CR, LF or [#END].
    private int readUnquoted() throws IOException {
        int next = read();
        while (next != ',' && next != '\n' && next != '\r' && next != END) {
            append(next);
            next = read();
        }
        return next;
    }

    private int readQuoted(long line) throws IOException {
        position++;
        for (int next = read(); next != '"' || peek() == '"'; next = read()) {
            switch (next) {
                case END -> throw wrongQuotes(line, "a quoted value has no end");
                case '"' -> position++;
                case '\n' -> lines++;
                default -> {
                }
            }
            append(next);
        }
        int separator = read();
        if (separator != ',' && separator != '\n' && separator != '\r' && separator != END) {
            throw wrongQuotes(line, "a quoted value has more text behind its end");
        }
        return separator;
    }

    private static CommandFailure wrongQuotes(long line, String reason) {
        return new CommandFailure("line " + line + ": " + reason + "; the rest cannot be read");
    }

    private void append(int next) {
        if (length < field.length) {
            field[length++] = (byte) next;
        }
    }

    /// Returns the next byte, [#END] at the end.
    private int read() throws IOException {
        int next = peek();
        if (next != END) {
            position++;
        }
        return next;
    }

    private int peek() throws IOException {
        if (position == end) {
            bytesBeforeBuffer += end;
            position = 0;
            end = Math.max(0, in.read(buffer));
        }
        return position < end ? buffer[position] & 0xFF : END;
    }
}
