/// The catalogue and the key ring in SQL, over the port [petstore.store.Database].
package petstore.store;
