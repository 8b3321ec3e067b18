package petstore.store;

import java.sql.SQLException;

/// A function on a part of a database.
///
/// @param <A> the part, e.g. a session
/// @param <T> the result
@FunctionalInterface
public interface SqlFunction<A, T> {
    T on(A part) throws SQLException;
}
