package petstore.sql;

import java.sql.SQLException;

import petstore.Version;

/// How far the catalogue of a server has come, read together with the timeline that it belongs to.
record PostgresVersion(long lastId, long putBacks, String timeline) {

    /// Every page from memory needs it: no function more than it takes. A standby fails it.
    private static final String READ = "SELECT last_id, put_backs, pg_walfile_name(pg_current_wal_lsn())"
            + " FROM catalogue_version";
    private static final int TIMELINE_DIGITS = 8;

    static PostgresVersion read(Session session) throws SQLException {
        return Session.rows(session.prepare(READ),
                row -> new PostgresVersion(row.getLong(1), row.getLong(2),
                        row.getString(3).substring(0, TIMELINE_DIGITS)))
                .getFirst();
    }

    Version version(long epoch) {
        return new Version(epoch, lastId, putBacks);
    }
}
