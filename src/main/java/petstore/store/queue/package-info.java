/// The queue in which operations on the store wait.
package petstore.store.queue;
