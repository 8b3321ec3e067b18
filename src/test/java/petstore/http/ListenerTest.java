package petstore.http;

import java.io.IOException;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class ListenerTest {

    @Test
    void tellsOfDefectsAloneWhenAConnectionFails() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Listener.class);
        logger.addAppender(log);
        try {
            Listener.failed(new IOException("Connection reset by peer"));
            Listener.failed(new DecoderException("not TLS"));
            Listener.failed(new Http2Exception(Http2Error.PROTOCOL_ERROR));
            Listener.failed(new IllegalStateException("of our own"));
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list).singleElement().satisfies(
                event -> assertThat(event.getThrowableProxy().getMessage()).isEqualTo("of our own"));
    }
}
