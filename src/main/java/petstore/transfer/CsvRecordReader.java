package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A reader of the records of CSV (RFC 4180). A record ends at LF, CR LF, CR or the end of the file. In quotes, LF ends a line but not
/// the record. FastCSV cannot read on behind a record that is too long. Confined to one thread.
final class CsvRecordReader {

    /// A record.
    ///
    /// @param line the number of its first line, from 1
    /// @param fields at least one, with one character for each byte; none if the record is bad
    /// @param bad present for a record of more than 64 KB, or with wrong quotes. In the second case the end of the record is unknown, so
    ///        it is the last one
    record CsvRecord(long line, List<String> fields, Optional<ImportLine.Bad> bad) {

        private static CsvRecord bad(long line, String reason, boolean refusesFile) {
            return new CsvRecord(line, List.of(), Optional.of(new ImportLine.Bad(line, reason, refusesFile)));
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
    /// In place of a separator, if the end of a quoted value is missing, or text follows it.
    private static final int NO_END = -2;
    private static final int MORE_TEXT = -3;

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

    /// Returns the number of lines read: that of the last line of the last record.
    long lines() {
        return lines;
    }

    /// Returns the next record, also a blank one; empty at the end of the file.
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
            separator = peek() == '"' ? readQuoted() : readUnquoted();
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
        if (separator < END) {
            position = end;
            in.skip(Long.MAX_VALUE);
            String problem = separator == NO_END ? "no end" : "more text behind its end";
            return Optional
                    .of(CsvRecord.bad(line, "a quoted value has " + problem + "; the rest cannot be read", true));
        }
        return Optional.of(tooLong
                ? CsvRecord.bad(line, "the record is longer than " + MAX_RECORD_BYTES + " bytes"
                        + (lines > line ? "; it ends in line " + lines : ""), false)
                : new CsvRecord(line, fields, Optional.empty()));
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

    /// As [#readUnquoted]. Returns [#NO_END] or [#MORE_TEXT] if the quotes are wrong.
    private int readQuoted() throws IOException {
        position++;
        for (int next = read(); next != '"' || peek() == '"'; next = read()) {
            switch (next) {
                case END -> {
                    return NO_END;
                }
                case '"' -> position++;
                case '\n' -> lines++;
                default -> {
                }
            }
            append(next);
        }
        int separator = read();
        return separator == ',' || separator == '\n' || separator == '\r' || separator == END ? separator : MORE_TEXT;
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
