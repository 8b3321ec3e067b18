/// The shared database: its address, connections, and the watch over its primary.
package petstore.store.postgres;
