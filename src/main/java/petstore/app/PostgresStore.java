package petstore.app;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import petstore.CommandFailure;
import petstore.Failure;
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
        return Postgres.findStore(uri, Postgres.COMMAND_WAIT).isPresent();
    }

    @Override
    public Optional<String> removeEmpty() {
        try {
            // The command has failed already, so it does not wait now.
            return Postgres.findStore(uri, Duration.ZERO).filter(_ -> {
                try (SqlStore store = open(StoreAccess.CHANGE)) {
                    return store.catalogue().lastId() == 0 && store.keys().list().isEmpty();
                }
            });
        } catch (Failure | CommandFailure e) {
            LOG.debug("the store stays", e);
            return Optional.empty();
        }
    }
}
