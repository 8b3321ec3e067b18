/// Atomic writes, temporary files, and files that only their owner can read.
package petstore.files;
