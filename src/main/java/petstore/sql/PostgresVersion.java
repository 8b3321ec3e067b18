package petstore.sql;

import java.sql.SQLException;

import petstore.Version;

/// How far the catalogue of a server has come, read together with the timeline that it belongs to.
record PostgresVersion(long lastId, long putBacks, String timeline) {

    private static final String READ = "SELECT last_id, put_backs, " + ServerState.TIMELINE + " FROM catalogue_version";

    static PostgresVersion read(Session session) throws SQLException {
        return Session.rows(session.prepare(READ),
                row -> new PostgresVersion(row.getLong(1), row.getLong(2), row.getString(3))).getFirst();
    }

    Version version(long epoch) {
        return new Version(epoch, lastId, putBacks);
    }
}
