/// TLS on a listener: protocols, ciphers, and certificates that are renewed.
package petstore.http.server.tls;
