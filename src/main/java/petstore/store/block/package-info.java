/// Blocks of animals in memory, without SQL.
package petstore.store.block;
