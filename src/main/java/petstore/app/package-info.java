/// Puts the service together and chooses the store.
package petstore.app;
