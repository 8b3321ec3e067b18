/// HTTP/1.1, HTTP/2 and TLS over sockets, with limits and deadlines. Vert.x and Netty stay inside.
package petstore.http.server;
