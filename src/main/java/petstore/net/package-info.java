/// Hosts and ports as URIs write them.
package petstore.net;
