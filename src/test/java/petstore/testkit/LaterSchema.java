package petstore.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import petstore.store.Migrations;

/// A later version of the program, whose schema has one more script in each kind of database.
public final class LaterSchema {

    public static final int VERSION = Migrations.LATEST + 1;
    private static final String SCRIPT = """
            ALTER TABLE api_key_change ADD COLUMN note TEXT;
            CREATE TABLE toy (id INTEGER NOT NULL PRIMARY KEY);
            """;

    private LaterSchema() {
    }

    /// Returns the scripts of the later version.
    public static Migrations after(Migrations now) {
        return new Migrations(version -> version == VERSION ? SCRIPT : now.script().apply(version), VERSION,
                now.countStores());
    }

    /// Returns the Java option that makes the packaged program the later version: Java finds resources in this folder first.
    public static String javaOption(Path folder) throws IOException {
        Path migrations = folder.resolve("petstore/store/migrations");
        for (String kind : new String[]{"sqlite", "postgresql"}) {
            Files.createDirectories(migrations.resolve(kind));
            Files.writeString(migrations.resolve(kind + "/" + VERSION + ".sql"), SCRIPT);
        }
        Files.writeString(migrations.resolve("latest"), String.valueOf(VERSION));
        return "-Xbootclasspath/a:" + folder.toAbsolutePath();
    }
}
