#!/bin/sh
# sqlite-jdbc 3.54.1.0 (SQLite 3.54.1), Linux.
# Guess: a read that fails with EIO for a moment is told as SQLITE_IOERR.
# Seen: a running statement tells it as SQLITE_CORRUPT, although the file is whole and the next read succeeds. Only a read during the
# preparation of a statement says SQLITE_IOERR_CORRUPTFS. So SQLITE_CORRUPT alone does not prove damage.
# Needs Maven, a C compiler, and Java 17 or later. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=org.xerial:sqlite-jdbc:3.54.1.0 \
    -DoutputDirectory="$folder"
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=org.slf4j:slf4j-api:2.0.17 \
    -DoutputDirectory="$folder"
cd "$folder"

# Reads of the database fail while the file `fails` exists.
cat > eio.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) {
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, "/animals.db") != NULL && access("fails", F_OK) == 0) {
        errno = EIO;
        return -1;
    }
    return ((ssize_t (*)(int, void *, size_t, off64_t)) dlsym(RTLD_NEXT, "pread64"))(fd, bytes, count, offset);
}
END
cc -shared -fPIC -O2 -o eio.so eio.c -ldl

cat > Reads.java <<'END'
import java.nio.file.*;
import java.sql.*;

class Reads {
    public static void main(String[] arguments) throws Exception {
        try (Connection writer = DriverManager.getConnection("jdbc:sqlite:animals.db"); Statement create = writer.createStatement()) {
            create.execute("CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT)");
            create.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
                    + " INSERT INTO animal SELECT i, 'Animal number ' || i FROM n");
        }
        try (Connection reader = DriverManager.getConnection("jdbc:sqlite:animals.db");
                PreparedStatement all = reader.prepareStatement("SELECT total(length(name)) FROM animal");
                Statement check = reader.createStatement()) {
            Files.createFile(Path.of("fails"));
            try {
                all.executeQuery();
                System.out.println("no error");
            } catch (SQLException e) {
                System.out.println("while the disk fails: " + e.getMessage().replaceFirst("].*", "]"));
            }
            Files.delete(Path.of("fails"));
            System.out.println("afterwards: " + check.executeQuery("PRAGMA integrity_check").getString(1));
        }
    }
}
END
seen=$(LD_PRELOAD=$PWD/eio.so java -cp "$(echo ./*.jar | tr ' ' :)" Reads.java 2> /dev/null)
echo "$seen"
[ "$seen" = "while the disk fails: [SQLITE_CORRUPT]
afterwards: ok" ]
