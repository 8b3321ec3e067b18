#!/bin/sh
# DuckDB 2.0.0.1 (org.duckdb:duckdb_jdbc, Maven Central), Java 25: read_csv with its defaults.
# Guess: a column of names that no single type fits is VARCHAR, whatever the order of its rows, and every value can be read.
# Seen: a hexadecimal number before a decimal fraction makes the column DOUBLE, and then the file cannot be read; in the other order the
# column is VARCHAR. The word inf alone is a DATE, in text +5881580-07-11. 24:00 is a TIME that the driver cannot return as text.
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
        <dependency><groupId>org.duckdb</groupId><artifactId>duckdb_jdbc</artifactId><version>2.0.0.1</version></dependency>
    </dependencies>
</project>
END
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
cat > Read.java <<'END'
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

class Read {
    public static void main(String[] arguments) throws Exception {
        for (List<String> names : List.of(List.of("1.5", "0x10"), List.of("0x10", "1.5"), List.of("Inf", "Rex"), List.of("inf"),
                List.of("23:00"), List.of("24:00"))) {
            System.out.println(names + ": " + read(names));
        }
    }

    private static String read(List<String> names) throws Exception {
        Files.writeString(Path.of("names.csv"), "name\n" + String.join("\n", names) + "\n");
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                ResultSet rows = connection.createStatement().executeQuery("SELECT name FROM read_csv('names.csv', header = true)")) {
            List<String> read = new ArrayList<>();
            while (rows.next()) {
                read.add(rows.getString(1));
            }
            return rows.getMetaData().getColumnTypeName(1) + " " + read;
        } catch (SQLException | RuntimeException e) {
            return e.getClass().getSimpleName() + " " + e.getMessage().replaceFirst("(?s)\n.*", "");
        }
    }
}
END
java -cp 'lib/*' Read.java 2> warnings | tee seen
cmp - seen <<'END'
[1.5, 0x10]: VARCHAR [1.5, 0x10]
[0x10, 1.5]: SQLException Conversion Error: CSV Error on Line: 2
[Inf, Rex]: VARCHAR [Inf, Rex]
[inf]: DATE [+5881580-07-11]
[23:00]: TIME [23:00]
[24:00]: DateTimeException Invalid value for NanoOfDay (valid values 0 - 86399999999999): 86400000000000
END
