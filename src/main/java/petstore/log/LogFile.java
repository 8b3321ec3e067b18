package petstore.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/// The file or pipe of the log, which may refuse bytes for some time, also in the middle of a line.
final class LogFile {

    private final FileChannel channel;
    /// The size of the file after the last write; 0 for a pipe.
    private long size;

    LogFile(FileChannel channel) {
        this.channel = channel;
    }

    /// Writes as many of the remaining bytes as possible. Returns false if a pipe takes no more now. Errors: `IOException` if the file
    /// refuses the rest; call this again later.
    boolean write(ByteBuffer lines) throws IOException {
        if (!repeatsTornLine(lines)) {
            return false;
        }
        try {
            while (lines.hasRemaining()) {
                if (channel.write(lines) == 0) {
                    return false;
                }
            }
            return true;
        } finally {
            size = channel.size();
        }
    }

    /// Begins the line again if only its beginning was written, and the file was emptied or written by others meanwhile. Returns false if
    /// the file takes no line break for this now.
    private boolean repeatsTornLine(ByteBuffer lines) throws IOException {
        int begin = lines.position();
        while (begin > 0 && lines.get(begin - 1) != '\n') {
            begin--;
        }
        if (begin < lines.position() && channel.size() != size) {
            if (channel.size() > 0 && channel.write(ByteBuffer.wrap(new byte[]{'\n'})) == 0) {
                return false;
            }
            lines.position(begin);
        }
        return true;
    }
}
