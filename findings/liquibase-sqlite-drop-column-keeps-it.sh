#!/bin/sh
# Liquibase 5.0.4 with sqlite-jdbc 3.54.1.0 (Maven Central), Java 25.
# Guess: dropColumn removes the column from a table of SQLite, addDefaultValue adds a default, and neither changes another thing.
# Seen: both end without an error, but dropColumn leaves the column. Both make the table anew without its CHECK, COLLATE
# and generated column. The unique index loses WHERE and DESC, so that it covers all rows, and the trigger is gone. Changes that it does not
# support, such as addUniqueConstraint, are refused. renameColumn uses SQLite's own ALTER TABLE and loses nothing.
# Needs Java 17 or later and Maven. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > pom.xml <<'END'
<project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>finding</groupId>
    <artifactId>finding</artifactId>
    <version>1</version>
    <dependencies>
        <dependency><groupId>org.liquibase</groupId><artifactId>liquibase-core</artifactId><version>5.0.4</version></dependency>
        <dependency><groupId>org.xerial</groupId><artifactId>sqlite-jdbc</artifactId><version>3.54.1.0</version></dependency>
        <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>2.0.17</version></dependency>
    </dependencies>
</project>
END
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
cat > Change.java <<'END'
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.LiquibaseException;
import liquibase.resource.DirectoryResourceAccessor;

class Change {
    private static final PrintStream OUT = System.out;

    public static void main(String[] arguments) throws Exception {
        System.setOut(new PrintStream(new ByteArrayOutputStream()));
        for (String change : List.of("renameColumn: {tableName: part, oldColumnName: note, newColumnName: remark}",
                "addUniqueConstraint: {tableName: part, columnNames: note}", "dropColumn: {tableName: part, columnName: note}",
                "addDefaultValue: {tableName: part, columnName: note, columnDataType: TEXT, defaultValue: none}")) {
            Files.deleteIfExists(Path.of("parts.db"));
            Files.writeString(Path.of("changes.yaml"), """
                    databaseChangeLog:
                    - changeSet:
                        id: 1
                        author: clerk
                        changes:
                        - %s
                    """.formatted(change));
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:parts.db");
                    Statement statement = connection.createStatement()) {
                create(statement);
                OUT.println(change.replaceFirst(":.*", "") + ": " + (updates(connection) ? "successful" : "refused"));
                show(statement);
            }
        }
    }

    private static void create(Statement statement) throws SQLException {
        for (String sql : new String[]{
                "CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE CHECK (name <> ''), note TEXT, upper TEXT AS (upper(name)))",
                "CREATE UNIQUE INDEX by_name ON part (name DESC) WHERE note IS NULL",
                "CREATE TRIGGER added AFTER INSERT ON part BEGIN SELECT 1; END"}) {
            statement.executeUpdate(sql);
        }
    }

    private static boolean updates(Connection connection) throws Exception {
        var database = DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(connection));
        try {
            new Liquibase("changes.yaml", new DirectoryResourceAccessor(Path.of(".")), database).update("");
            return true;
        } catch (LiquibaseException e) {
            return false;
        }
    }

    private static void show(Statement statement) throws SQLException {
        try (ResultSet schema = statement.executeQuery("SELECT sql FROM sqlite_schema WHERE tbl_name = 'part' ORDER BY type, name")) {
            while (schema.next()) {
                OUT.println("  " + schema.getString(1));
            }
        }
    }
}
END
java -cp 'lib/*' Change.java 2> liquibase.log | tee seen
cmp - seen <<'END'
renameColumn: successful
  CREATE UNIQUE INDEX by_name ON part (name DESC) WHERE remark IS NULL
  CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE CHECK (name <> ''), remark TEXT, upper TEXT AS (upper(name)))
  CREATE TRIGGER added AFTER INSERT ON part BEGIN SELECT 1; END
addUniqueConstraint: refused
  CREATE UNIQUE INDEX by_name ON part (name DESC) WHERE note IS NULL
  CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE CHECK (name <> ''), note TEXT, upper TEXT AS (upper(name)))
  CREATE TRIGGER added AFTER INSERT ON part BEGIN SELECT 1; END
dropColumn: successful
  CREATE UNIQUE INDEX by_name ON part(name)
  CREATE TABLE part (id INTEGER NOT NULL, name TEXT, note TEXT, upper TEXT, CONSTRAINT PK_PART PRIMARY KEY (id))
addDefaultValue: successful
  CREATE UNIQUE INDEX by_name ON part(name)
  CREATE TABLE part (id INTEGER NOT NULL, name TEXT, note TEXT DEFAULT 'none', upper TEXT, CONSTRAINT PK_PART PRIMARY KEY (id))
END
