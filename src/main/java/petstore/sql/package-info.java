/// The catalogue and the key ring in a relational database. [petstore.sql.SqlStore] is the whole public face; JDBC stays
/// inside.
package petstore.sql;
