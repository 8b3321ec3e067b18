#!/bin/sh
# com.atlassian.oai:swagger-request-validator-core 3.0.0, the first with OpenAPI 3.1 (Maven Central), Java 25.
# Guess: a query parameter whose schema has no type of its own accepts text that fits the schema: const, enum, pattern, anyOf.
# Seen: only enum does. For const, pattern and anyOf the text is parsed as JSON, so that the valid value is refused
# (validation.request.parameter.schema.invalidJson). With "type: string" beside const and pattern it is accepted.
# Needs Java 21 or later and Maven. Exit code 1 if the behaviour has changed.
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
        <dependency><groupId>com.atlassian.oai</groupId><artifactId>swagger-request-validator-core</artifactId><version>3.0.0</version></dependency>
        <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>2.0.17</version></dependency>
    </dependencies>
</project>
END
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
cat > orders.yaml <<'END'
openapi: 3.1.1
info:
  title: Orders
  version: "1"
paths:
  /orders:
    get:
      parameters:
        - { name: enum, in: query, schema: { enum: [asc, desc] } }
        - { name: const, in: query, schema: { const: asc } }
        - { name: pattern, in: query, schema: { pattern: "^[a-z]+$" } }
        - { name: anyOf, in: query, schema: { anyOf: [{ type: integer }, { type: string }] } }
        - { name: typed-const, in: query, schema: { type: string, const: asc } }
        - { name: typed-pattern, in: query, schema: { type: string, pattern: "^[a-z]+$" } }
      responses:
        "200":
          description: The orders.
END
cat > Validate.java <<'END'
import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.SimpleRequest;

class Validate {
    public static void main(String[] arguments) {
        OpenApiInteractionValidator validator = OpenApiInteractionValidator.createForSpecificationUrl("orders.yaml").build();
        for (String parameter : new String[]{"enum", "const", "pattern", "anyOf", "typed-const", "typed-pattern"}) {
            var report = validator.validateRequest(SimpleRequest.Builder.get("/orders").withQueryParam(parameter, "asc").build());
            System.out.println(parameter + "=asc: " + (report.hasErrors() ? report.getMessages().get(0).getKey() : "accepted"));
        }
    }
}
END
java -cp 'lib/*' Validate.java | tee seen
cmp - seen <<'END'
enum=asc: accepted
const=asc: validation.request.parameter.schema.invalidJson
pattern=asc: validation.request.parameter.schema.invalidJson
anyOf=asc: validation.request.parameter.schema.invalidJson
typed-const=asc: accepted
typed-pattern=asc: accepted
END
