/// HTTP/1.1, HTTP/2 and TLS over sockets, with limits and deadlines. Netty stays inside.
package petstore.http.server;
