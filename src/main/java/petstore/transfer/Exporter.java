package petstore.transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;

import petstore.Catalogue;
import petstore.Pet;
import petstore.json.PetJson;

/// The export of the catalogue, by ascending id, as it is at the beginning.
public final class Exporter {

    /// Groups that are read and not yet written.
    private static final int MAX_PENDING = 8;
    private static final int BUFFER_LENGTH = 1 << 16;
    /// Without it, spreadsheets read UTF-8 in the encoding of the system.
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private final Format format;
    private final boolean spreadsheet;
    private final OutputStream out;
    private final LongConsumer progress;
    private final StringBuilder text = new StringBuilder(2 * BUFFER_LENGTH);
    private long written;

    private Exporter(Format format, boolean spreadsheet, OutputStream out, LongConsumer progress) {
        this.format = format;
        this.spreadsheet = spreadsheet;
        this.out = out;
        this.progress = progress;
    }

    /// Writes every animal to `out`, and closes it. Returns the number of animals.
    ///
    /// @param spreadsheet true if CSV is for a spreadsheet, which must read UTF-8 and must not take a name for a formula
    /// @throws IOException if `out` fails
    public static long export(Catalogue catalogue, Format format, boolean spreadsheet, OutputStream out,
            LongConsumer progress)
            throws IOException {
        try (out; TaskThread thread = new TaskThread("export", MAX_PENDING)) {
            Exporter exporter = new Exporter(format, spreadsheet, out, progress);
            exporter.text.append(spreadsheet ? BYTE_ORDER_MARK : "");
            exporter.text.append(format == Format.CSV ? CsvLineReader.HEADER + '\n' : "");
            catalogue.forEachGroup(group -> thread.submit(() -> exporter.write(group)));
            thread.finish();
            exporter.flush();
            return exporter.written;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private long write(Iterable<Pet> group) {
        try {
            for (Pet pet : group) {
                switch (format) {
                    case NDJSON -> PetJson.append(pet, text).append('\n');
                    case CSV -> PetCsv.append(pet, spreadsheet, text);
                }
                written++;
                if (text.length() >= BUFFER_LENGTH) {
                    flush();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        progress.accept(written);
        return written;
    }

    private void flush() throws IOException {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        text.setLength(0);
    }
}
