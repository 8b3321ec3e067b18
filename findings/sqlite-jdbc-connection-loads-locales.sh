#!/bin/sh
# sqlite-jdbc 3.54.1.0, Java 17 and 25, Linux.
# Guess: a connection that reads no dates loads only classes of the driver and of java.sql.
# Seen: the configuration of each connection makes a formatter of dates in its constructor, which loads Java's calendars, time zones and
# locale data: about 100 of 1,000 classes. In a program that else needs none of them, this took 16 of 200 ms before its first response. No
# setting avoids it: every format of dates makes such a formatter.
# Needs Maven, and Java 17 or later. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=org.xerial:sqlite-jdbc:3.54.1.0 \
    -DoutputDirectory="$folder" > /dev/null 2>&1
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=org.slf4j:slf4j-api:2.0.17 \
    -DoutputDirectory="$folder" > /dev/null 2>&1
cd "$folder"
cat > Connects.java <<'END'
import java.sql.DriverManager;

class Connects {
    public static void main(String[] args) throws Exception {
        System.out.println("connects");
        try (var connection = DriverManager.getConnection("jdbc:sqlite:animals.db"); var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE animal (name TEXT)");
        }
        System.out.println("connected");
    }
}
END
javac Connects.java
java -Xlog:class+load:stdout:none -cp "$folder:$(echo ./*.jar | tr ' ' :)" Connects 2> /dev/null > log
sed -n '/^connects$/,/^connected$/p' log | awk '{ print $1 }' > loaded
locales=$(grep -c -e '^java\.text\.' -e '^sun\.util\.' -e '^java\.util\.\(Locale\|Calendar\|TimeZone\|GregorianCalendar\)' -e '^sun\.text\.' -e '^org\.sqlite\.date\.' loaded)
echo "the first connection loads $(wc -l < loaded) classes, $locales of them for dates and locales"
grep -q '^org\.sqlite\.date\.FastDateFormat' loaded && [ "$locales" -gt 80 ]
