/// Memory for values that the store has.
package petstore.memory;
