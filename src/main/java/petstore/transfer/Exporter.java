package petstore.transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import petstore.Catalogue;
import petstore.Pet;

/// Writes the catalogue out, by ascending id, as it is at the beginning.
public final class Exporter {

    private static final int GROUP = 1_000;

    private final PetWriter writer;
    private final ExecutorService thread;
    private final Progress progress;
    private Future<?> before;
    private List<Pet> group = new ArrayList<>(GROUP);
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
            catalogue.forEach(exporter::add);
            exporter.writeGroup();
            exporter.awaitGroupBefore();
            return exporter.written;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void add(Pet pet) {
        group.add(pet);
        if (group.size() == GROUP) {
            writeGroup();
        }
    }

    /// Begins to write a group; the next one is read meanwhile.
    private void writeGroup() {
        awaitGroupBefore();
        List<Pet> pets = group;
        group = new ArrayList<>(GROUP);
        before = thread.submit(() -> write(pets));
    }

    private void write(List<Pet> pets) {
        try {
            for (Pet pet : pets) {
                writer.write(pet);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        written += pets.size();
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
