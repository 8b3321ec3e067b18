#!/bin/sh
# Gson 2.13.2, Yasson 3.0.4 (Jakarta JSON Binding) and fastjson2 2.0.60 beside Jackson 2.21.0 (Maven Central), Java 17 and 25.
# Guess: a library that reads JSON into a field of the type long refuses a number that no long can hold.
# Seen: only Jackson refuses all but 1.5, of which it keeps 1. Gson makes 2^63 the greatest long. Yasson makes it the least, drops
# fractions, and reads 1e400 as 0. fastjson2 drops fractions, and reads 1e400 as the greatest long. None of them warns.
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
        <dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><version>2.13.2</version></dependency>
        <dependency><groupId>org.eclipse</groupId><artifactId>yasson</artifactId><version>3.0.4</version></dependency>
        <dependency><groupId>com.alibaba.fastjson2</groupId><artifactId>fastjson2</artifactId><version>2.0.60</version></dependency>
        <dependency>
            <groupId>com.fasterxml.jackson.core</groupId><artifactId>jackson-databind</artifactId><version>2.21.0</version>
        </dependency>
    </dependencies>
</project>
END
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
cat > Read.java <<'END'
import java.util.function.Function;

import com.alibaba.fastjson2.JSON;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import jakarta.json.bind.JsonbBuilder;

public class Read {
    public static class Order {
        public long id;
    }

    public static void main(String[] arguments) {
        for (String number : new String[]{"9223372036854775807", "9223372036854775808", "1.5", "1e400"}) {
            String json = "{\"id\": " + number + "}";
            System.out.println(number + ": Gson " + read(json, text -> new Gson().fromJson(text, Order.class))
                    + ", Yasson " + read(json, text -> JsonbBuilder.create().fromJson(text, Order.class))
                    + ", fastjson2 " + read(json, text -> JSON.parseObject(text, Order.class))
                    + ", Jackson " + read(json, Read::jackson));
        }
    }

    private static Order jackson(String text) {
        try {
            return new ObjectMapper().readValue(text, Order.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static String read(String json, Function<String, Order> reader) {
        try {
            return String.valueOf(reader.apply(json).id);
        } catch (RuntimeException e) {
            return "refuses";
        }
    }
}
END
java -cp 'lib/*' Read.java 2> warnings | tee seen
cmp - seen <<'END'
9223372036854775807: Gson 9223372036854775807, Yasson 9223372036854775807, fastjson2 9223372036854775807, Jackson 9223372036854775807
9223372036854775808: Gson 9223372036854775807, Yasson -9223372036854775808, fastjson2 refuses, Jackson refuses
1.5: Gson refuses, Yasson 1, fastjson2 1, Jackson 1
1e400: Gson refuses, Yasson 0, fastjson2 9223372036854775807, Jackson refuses
END
