package petstore.store;

import java.sql.SQLException;

/// A function on a part of a database.
@FunctionalInterface
public interface SqlFunction<A, T> {
    T on(A part) throws SQLException;
}
