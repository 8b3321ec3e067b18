/// Heads, bodies and responses between values and the bytes of HTTP/1.1 or the frames of HTTP/2.
package petstore.http.server.codec;
