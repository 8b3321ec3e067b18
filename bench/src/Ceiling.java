import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/// A bare server on the service's HTTP library: its decoder, and one constant buffer to every GET, and one to every POST, once the body is
/// complete. It checks no key and stores nothing.
///
/// Usage: Ceiling PORT FOLDER. The files GET and POST in FOLDER have responses of the service.
final class Ceiling extends ChannelInboundHandlerAdapter {

    private final byte[] get;
    private final byte[] post;
    private boolean isPost;

    private Ceiling(byte[] get, byte[] post) {
        this.get = get;
        this.post = post;
    }

    private static byte[] read(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllBytes(file)
                : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    }

    public static void main(String[] arguments) throws Exception {
        byte[] get = read(Path.of(arguments[1]).resolve("GET"));
        byte[] post = read(Path.of(arguments[1]).resolve("POST"));
        EventLoopGroup acceptor = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(Runtime.getRuntime().availableProcessors(),
                NioIoHandler.newFactory());
        new ServerBootstrap().group(acceptor, loops).channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        connection.pipeline().addLast(new HttpRequestDecoder(), new Ceiling(get, post));
                    }
                }).bind("127.0.0.1", Integer.parseInt(arguments[0])).sync();
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object message) {
        if (message instanceof HttpRequest request) {
            isPost = request.method().equals(HttpMethod.POST);
        }
        if (message instanceof LastHttpContent) {
            byte[] response = isPost ? post : get;
            ByteBuf bytes = connection.alloc().directBuffer(response.length).writeBytes(response);
            connection.write(bytes);
        }
        ReferenceCountUtil.release(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext connection) {
        connection.flush();
    }
}
