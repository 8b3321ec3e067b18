#!/bin/sh
# JSONassert 1.5.3 (Maven Central), JSONCompareMode.STRICT, Java 17 and 25.
# Guess: a strict comparison of two documents fails if an integer differs, as in other comparisons of JSON.
# Seen: it compares all numbers as doubles. Ids above 2^53 that differ by one are equal, so that a test of such an id cannot fail.
# 1 and 1.0 are equal, too.
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
        <dependency><groupId>org.skyscreamer</groupId><artifactId>jsonassert</artifactId><version>1.5.3</version></dependency>
    </dependencies>
</project>
END
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
cat > Compare.java <<'END'
import org.skyscreamer.jsonassert.JSONCompare;
import org.skyscreamer.jsonassert.JSONCompareMode;

class Compare {
    public static void main(String[] arguments) throws Exception {
        compare("1", "2");
        compare("9007199254740991", "9007199254740992");
        compare("9007199254740992", "9007199254740993");
        compare("9223372036854775806", "9223372036854775807");
    }

    private static void compare(String one, String other) throws Exception {
        boolean fails = JSONCompare.compareJSON("{\"id\": " + one + "}", "{\"id\": " + other + "}", JSONCompareMode.STRICT).failed();
        System.out.println(one + " and " + other + ": " + (fails ? "different" : "equal"));
    }
}
END
java -cp 'lib/*' Compare.java | tee seen
cmp - seen <<'END'
1 and 2: different
9007199254740991 and 9007199254740992: different
9007199254740992 and 9007199254740993: equal
9223372036854775806 and 9223372036854775807: equal
END
