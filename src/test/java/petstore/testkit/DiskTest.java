package petstore.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

class DiskTest {

    private static final int HEAD_BYTES = 3 * Long.BYTES;

    /// A kill may cut the last record at any byte.
    @ParameterizedTest
    @ValueSource(ints = {0, 5, HEAD_BYTES, HEAD_BYTES + 3})
    void revertsUnsyncedWriteAndIgnoresPartialRecord(int partialBytes, @TempDir Path folder) throws IOException {
        assumeThat(Disk.in(folder.resolve("disk"))).isPresent();
        Path store = folder.resolve("petstore.db");
        Files.writeString(store, "new and longer");
        byte[] record = record("old!");
        byte[] undo = Arrays.copyOf(record, record.length + partialBytes);
        System.arraycopy(record("else"), 0, undo, record.length, partialBytes);
        Files.write(folder.resolve("disk/petstore.db.undo"), undo);

        Disk.in(folder.resolve("disk")).orElseThrow().losePower(folder);
        assertThat(store).hasContent("old!");
    }

    private static byte[] record(String before) {
        byte[] bytes = before.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(HEAD_BYTES + bytes.length).order(ByteOrder.nativeOrder()).putLong(0)
                .putLong(bytes.length).putLong(bytes.length).put(bytes).array();
    }
}
