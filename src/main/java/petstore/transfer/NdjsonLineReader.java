package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

import petstore.Failure;
import petstore.json.NewPetParser;

/// A reader of files with an animal a line.
final class NdjsonLineReader implements ImportLine.Reader {

    private static final int MAX_LINE_BYTES = 1 << 16;

    private final InputStream in;
    private final boolean withIds;
    private final byte[] buffer = new byte[1 << 16];
    private int position;
    private int end;
    private final byte[] line = new byte[MAX_LINE_BYTES + 1];
    private int length;
    private long number;

    NdjsonLineReader(InputStream in, boolean withIds) {
        this.in = in;
        this.withIds = withIds;
    }

    @Override
    public Optional<ImportLine> next() throws IOException {
        while (readLine()) {
            if (length > MAX_LINE_BYTES) {
                return Optional
                        .of(new ImportLine.Bad(number, "the line is longer than " + MAX_LINE_BYTES + " bytes"));
            }
            String text = new String(line, 0, length, StandardCharsets.ISO_8859_1);
            if (!text.chars().allMatch(c -> " \t\r".indexOf(c) >= 0)) {
                return Optional.of(parse(text));
            }
        }
        return Optional.empty();
    }

    @Override
    public long lastLine() {
        return number;
    }

    /// Parses a line. A malformed line gets the API's error message, without the words `the body`.
    private ImportLine parse(String text) {
        try {
            NewPetParser.Parsed parsed = NewPetParser.parse(Arrays.copyOf(line, length), withIds);
            return new ImportLine.Good(number, parsed.id(), parsed.pet());
        } catch (Failure e) {
            return new ImportLine.Bad(number, text.stripTrailing().contains("\r")
                    ? "has a line end of CR alone; lines end in LF"
                    : e.getMessage().replaceFirst("^the body (is )?", ""));
        }
    }

    /// Reads up to the next line feed, or the end, and keeps a byte more than a line may have. Returns false at the end.
    private boolean readLine() throws IOException {
        length = 0;
        int next = read();
        for (; next >= 0 && next != '\n'; next = read()) {
            if (length < line.length) {
                line[length++] = (byte) next;
            }
        }
        boolean found = next >= 0 || length > 0;
        if (found) {
            number++;
        }
        return found;
    }

    /// Returns the next byte, -1 at the end. A `BufferedInputStream` would take a lock for each byte.
    private int read() throws IOException {
        if (position == end) {
            position = 0;
            end = Math.max(0, in.read(buffer));
        }
        return position < end ? buffer[position++] & 0xFF : -1;
    }
}
