package petstore.transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

import petstore.Catalogue;
import petstore.Pet;

/// Writes the catalogue out, by ascending id, as it is at the beginning.
public final class Exporter {

    /// How many groups are read before they are written.
    private static final int MOST_AHEAD = 8;

    /// How much is put together before it goes out.
    private static final int BUFFER_LENGTH = 1 << 16;

    private final Format format;
    private final boolean spreadsheet;
    private final OutputStream out;
    private final ExecutorService thread;
    private final LongConsumer progress;
    private final StringBuilder text = new StringBuilder(2 * BUFFER_LENGTH);
    private final Queue<Future<?>> pending = new ArrayDeque<>();
    private long written;

    private Exporter(Format format, boolean spreadsheet, OutputStream out, ExecutorService thread,
            LongConsumer progress) {
        this.format = format;
        this.spreadsheet = spreadsheet;
        this.out = out;
        this.thread = thread;
        this.progress = progress;
    }

    /// Writes every animal to `out`, which is closed at the end.
    ///
    /// @param spreadsheet whether CSV is for a spreadsheet, which must not take a name for a formula
    /// @param progress is told the animals written
    /// @return how many animals were written
    /// @throws IOException when `out` fails
    public static long export(Catalogue catalogue, Format format, boolean spreadsheet, OutputStream out,
            LongConsumer progress)
            throws IOException {
        try (out;
                ExecutorService thread = Executors
                        .newSingleThreadExecutor(Thread.ofPlatform().name("export").factory())) {
            Exporter exporter = new Exporter(format, spreadsheet, out, thread, progress);
            format.appendHeader(exporter.text);
            catalogue.forEachGroup(exporter::beginToWrite);
            exporter.awaitAllBut(0);
            exporter.flush();
            return exporter.written;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /// The next groups are read meanwhile.
    private void beginToWrite(Iterable<Pet> group) {
        awaitAllBut(MOST_AHEAD);
        pending.add(thread.submit(() -> write(group)));
    }

    private void write(Iterable<Pet> group) {
        try {
            for (Pet pet : group) {
                format.append(pet, spreadsheet, text);
                written++;
                if (text.length() >= BUFFER_LENGTH) {
                    flush();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        progress.accept(written);
    }

    private void flush() throws IOException {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        text.setLength(0);
    }

    private void awaitAllBut(int groups) {
        try {
            while (pending.size() > groups) {
                pending.remove().get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the export was interrupted", e);
        }
    }
}
