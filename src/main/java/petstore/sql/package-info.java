/// The catalogue and the key ring in a relational database. [petstore.sql.SqlStore] is its face; JDBC stays
/// inside.
package petstore.sql;
