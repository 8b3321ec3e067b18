/// Import and export of the catalogue, in constant memory.
package petstore.transfer;
