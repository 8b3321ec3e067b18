/// Queues of operations on the store.
package petstore.store.queue;
