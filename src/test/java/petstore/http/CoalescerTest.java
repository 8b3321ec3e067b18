package petstore.http;

import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CoalescerTest {

    private final EmbeddedChannel channel = new EmbeddedChannel(new Coalescer());

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void sendsAHeadAndItsBodyAsOne() {
        ByteBuf head = buffer("head");
        ByteBuf body = buffer("body");
        ChannelFuture headSent = channel.write(head);
        ChannelFuture bodySent = channel.write(body);
        channel.flush();
        assertThat(sent()).containsExactly("headbody");
        assertThat(headSent.isSuccess()).isTrue();
        assertThat(bodySent.isSuccess()).isTrue();
        assertThat(List.of(head.refCnt(), body.refCnt())).containsOnly(0);
    }

    @Test
    void sendsWhatComesAlone() {
        ChannelFuture headSent = channel.write(buffer("head"));
        assertThat(headSent.isDone()).isFalse();
        channel.flush();
        assertThat(sent()).containsExactly("head");
        assertThat(headSent.isSuccess()).isTrue();
    }

    @Test
    void changesNothingOfWhatMemoryKeeps() {
        ByteBuf page = Unpooled.buffer(64).writeBytes("page".getBytes(StandardCharsets.UTF_8));
        for (String before : List.of("", "not modified")) {
            if (!before.isEmpty()) {
                var _ = channel.write(buffer(before));
            }
            var _ = channel.write(buffer("head"));
            var _ = channel.write(page.retainedDuplicate());
            var _ = channel.write(buffer("next"));
        }
        channel.flush();
        assertThat(String.join("", sent())).isEqualTo("headpagenextnot modifiedheadpagenext");
        assertThat(page.toString(StandardCharsets.UTF_8)).isEqualTo("page");
        assertThat(page.getByte(4)).isZero();
        assertThat(page.refCnt()).isEqualTo(1);
    }

    @Test
    void keepsWhatIsNoBufferInItsPlace() {
        var _ = channel.write(buffer("head"));
        var _ = channel.write("file");
        var _ = channel.write(buffer("tail"));
        channel.flush();
        assertThat(channel.<Object>readOutbound()).isInstanceOf(ByteBuf.class);
        assertThat(channel.<Object>readOutbound()).isEqualTo("file");
        assertThat(sent()).containsExactly("tail");
    }

    @Test
    void givesUpWhatWasNotSentBeforeTheEnd() {
        ByteBuf head = buffer("head");
        ChannelFuture headSent = channel.write(head);
        var _ = channel.close();
        assertThat(headSent.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(head.refCnt()).isZero();
    }

    private static ByteBuf buffer(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    /// What went out, one text for each buffer.
    private List<String> sent() {
        List<String> sent = new ArrayList<>();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            sent.add(out.toString(StandardCharsets.UTF_8));
            out.release();
        }
        return sent;
    }
}
