package petstore.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import petstore.Failure;
import petstore.json.NewPetParser;

/// Reads one animal a line; empty lines are passed over.
final class NdjsonLineReader implements ImportLineReader {

    private static final int BUFFER_BYTES = 1 << 16;
    private static final int MAX_LINE_BYTES = 1 << 16;

    private final InputStream in;
    private final boolean withIds;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int end;
    private long number;
    private boolean tooLong;

    NdjsonLineReader(InputStream in, boolean withIds) {
        this.in = in;
        this.withIds = withIds;
    }

    @Override
    public Optional<ImportLine> next() throws IOException {
        while (readLine()) {
            if (tooLong) {
                return Optional.of(new ImportLine.Bad(number, "the line is longer than " + MAX_LINE_BYTES + " bytes"));
            }
            byte[] json = line.toByteArray();
            if (!isBlank(json)) {
                return Optional.of(parse(json));
            }
        }
        return Optional.empty();
    }

    private ImportLine parse(byte[] json) {
        try {
            NewPetParser.Parsed parsed = NewPetParser.parse(json, withIds);
            return new ImportLine.Good(number, parsed.id(), parsed.pet());
        } catch (Failure e) {
            return new ImportLine.Bad(number, reason(json, e));
        }
    }

    /// Returns the error message of the API, which would call the line a body.
    private static String reason(byte[] json, Failure failure) {
        return new String(json, StandardCharsets.ISO_8859_1).stripTrailing().contains("\r")
                ? "has a line end of CR alone; lines end in LF"
                : failure.getMessage().replaceFirst("^the body ", "");
    }

    /// Reads up to the next line feed, or the end; false when nothing is left.
    private boolean readLine() throws IOException {
        line.reset();
        tooLong = false;
        number++;
        boolean any = false;
        while (position < end || fill()) {
            any = true;
            int start = position;
            while (position < end && buffer[position] != '\n') {
                position++;
            }
            take(start, position);
            if (position < end) {
                position++;
                return true;
            }
        }
        return any;
    }

    private boolean fill() throws IOException {
        position = 0;
        end = Math.max(0, in.read(buffer));
        return end > 0;
    }

    private void take(int from, int to) {
        tooLong |= line.size() + (to - from) > MAX_LINE_BYTES;
        if (!tooLong) {
            line.write(buffer, from, to - from);
        }
    }

    private static boolean isBlank(byte[] text) {
        for (byte b : text) {
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
