/// Queues of work for the store: groups of writes, and readers.
package petstore.store.queue;
