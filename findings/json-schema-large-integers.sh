#!/bin/sh
# Three validators of JSON Schema for the JVM: networknt 3.0.9, json-sKema 0.32.0, io.github.optimumcode 0.5.3 (Maven Central), Java 25.
# Guess: draft 2020-12 gives a number its mathematical value, so each accepts an integer of any size, however it is written, as an integer.
# Seen: json-sKema refuses 10000000.0, although it accepts 9999999.0: from there on the text of a Java double has an exponent.
# networknt refuses 1e400. optimumcode ends with NumberFormatException from 2^63 on.
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
        <dependency><groupId>com.networknt</groupId><artifactId>json-schema-validator</artifactId><version>3.0.9</version></dependency>
        <dependency><groupId>com.github.erosb</groupId><artifactId>json-sKema</artifactId><version>0.32.0</version></dependency>
        <dependency>
            <groupId>io.github.optimumcode</groupId><artifactId>json-schema-validator-jvm</artifactId><version>0.5.3</version>
        </dependency>
        <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>2.0.17</version></dependency>
    </dependencies>
</project>
END
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
cat > Validate.java <<'END'
import java.util.function.BiPredicate;

import com.github.erosb.jsonsKema.JsonParser;
import com.github.erosb.jsonsKema.SchemaLoader;
import com.github.erosb.jsonsKema.Validator;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.github.optimumcode.json.schema.ErrorCollector;
import io.github.optimumcode.json.schema.JsonSchema;
import kotlinx.serialization.json.Json;

class Validate {
    public static void main(String[] arguments) {
        for (String integer : new String[]{"9999999.0", "10000000.0", "9223372036854775807", "9223372036854775808", "1e400"}) {
            check("{'type': 'integer'}", integer);
        }
    }

    private static void check(String members, String value) {
        String schema = "{'$schema': 'https://json-schema.org/draft/2020-12/schema', ".replace('\'', '"')
                + members.replace('\'', '"').substring(1);
        System.out.println(members + " " + value
                + ": networknt " + result(Validate::networknt, schema, value)
                + ", json-sKema " + result(Validate::skema, schema, value)
                + ", optimumcode " + result(Validate::optimumcode, schema, value));
    }

    private static String result(BiPredicate<String, String> validator, String schema, String value) {
        try {
            return validator.test(schema, value) ? "accepts" : "refuses";
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName();
        }
    }

    private static boolean networknt(String schema, String value) {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(schema)
                .validate(value, InputFormat.JSON).isEmpty();
    }

    private static boolean skema(String schema, String value) {
        return Validator.forSchema(new SchemaLoader(new JsonParser(schema).parse()).load())
                .validate(new JsonParser(value).parse()) == null;
    }

    private static boolean optimumcode(String schema, String value) {
        ErrorCollector ignored = error -> { };
        return JsonSchema.fromDefinition(schema).validate(Json.Default.parseToJsonElement(value), ignored);
    }
}
END
java -cp 'lib/*' Validate.java | tee seen
cmp - seen <<'END'
{'type': 'integer'} 9999999.0: networknt accepts, json-sKema accepts, optimumcode accepts
{'type': 'integer'} 10000000.0: networknt accepts, json-sKema refuses, optimumcode accepts
{'type': 'integer'} 9223372036854775807: networknt accepts, json-sKema accepts, optimumcode accepts
{'type': 'integer'} 9223372036854775808: networknt accepts, json-sKema accepts, optimumcode NumberFormatException
{'type': 'integer'} 1e400: networknt refuses, json-sKema accepts, optimumcode accepts
END
