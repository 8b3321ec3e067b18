package petstore.app;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import petstore.SafeText;
import petstore.store.Database;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;

/// A store in a PostgreSQL database.
public record PostgresStore(PostgresUri uri, SchemaPolicy migrate) implements StoreChoice {

    @Override
    public String place() {
        return uri.toString();
    }

    @Override
    public String option() {
        return "--database " + SafeText.word(uri.withoutPassword());
    }

    @Override
    public SqlStore open(StoreAccess access) {
        return SqlStore.of(Postgres.forCommand(uri, migrate, access));
    }

    @Override
    public Database serve(int readers, Duration wait, AtomicBoolean waiting, Runnable onLostDisk) {
        return Postgres.forService(uri, migrate, readers, wait, waiting);
    }

    @Override
    public boolean exists() {
        return Postgres.hasStore(uri);
    }
}
