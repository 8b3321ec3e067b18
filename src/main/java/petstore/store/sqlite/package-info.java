/// The embedded database: its files, readers, backup and restore.
package petstore.store.sqlite;
