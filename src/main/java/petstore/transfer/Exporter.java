package petstore.transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import petstore.Catalogue;
import petstore.Pet;

/// Writes the catalogue out, by ascending id, as it is at the beginning.
public final class Exporter {

    private final PetWriter writer;
    private final ExecutorService thread;
    private final Progress progress;
    private Future<?> before;
    private long written;

    private Exporter(PetWriter writer, ExecutorService thread, Progress progress) {
        this.writer = writer;
        this.thread = thread;
        this.progress = progress;
        this.before = thread.submit(() -> {
        });
    }

    /// Writes every animal to `out`, which is closed at the end.
    ///
    /// @param progress is told the animals written
    /// @return how many animals were written
    /// @throws IOException when `out` fails
    public static long export(Catalogue catalogue, Format format, OutputStream out, Progress progress)
            throws IOException {
        try (PetWriter writer = format.writer(out); ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Exporter exporter = new Exporter(writer, thread, progress);
            catalogue.forEachGroup(exporter::beginToWrite);
            exporter.awaitGroupBefore();
            return exporter.written;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /// The next group is read meanwhile.
    private void beginToWrite(List<Pet> group) {
        awaitGroupBefore();
        before = thread.submit(() -> write(group));
    }

    private void write(List<Pet> group) {
        try {
            for (Pet pet : group) {
                writer.write(pet);
                written++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        progress.reached(written);
    }

    private void awaitGroupBefore() {
        try {
            before.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the export was interrupted", e);
        }
    }
}
