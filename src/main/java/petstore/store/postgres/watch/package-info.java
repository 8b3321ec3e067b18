/// The rules by which the service chooses the server that it uses: values and functions, without JDBC, threads and clock.
package petstore.store.postgres.watch;
