#!/bin/sh
# org.openapitools.openapidiff:openapi-diff-core 2.1.7 (Maven Central), with swagger-parser 2.1.31, Java 25.
# Guess: a changed type of a parameter or of a property of a response is an incompatible change, in OpenAPI 3.1 as in 3.0.
# Seen: with "openapi: 3.1.1" both changes are no difference, and the documents are compatible. With 3.0.3 they are found. Changes of
# maximum and enum are found in both versions.
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
        <dependency><groupId>org.openapitools.openapidiff</groupId><artifactId>openapi-diff-core</artifactId><version>2.1.7</version></dependency>
        <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>2.0.17</version></dependency>
    </dependencies>
</project>
END
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
# Usage: write FILE VERSION PARAMETER MAXIMUM PROPERTY ENUM
write() {
    cat > "$1" <<END
openapi: $2
info:
  title: Orders
  version: "1"
paths:
  /orders:
    get:
      parameters:
        - name: limit
          in: query
          schema:
            type: $3
            maximum: $4
      responses:
        "200":
          description: An order.
          content:
            application/json:
              schema:
                type: object
                properties:
                  number:
                    type: $5
                  state:
                    type: string
                    enum: [$6]
END
}
for version in 3.0.3 3.1.1; do
    write "$version-old.yaml" $version integer 100 integer 'open, sent'
    write "$version-parameter.yaml" $version string 100 integer 'open, sent'
    write "$version-maximum.yaml" $version integer 50 integer 'open, sent'
    write "$version-property.yaml" $version integer 100 string 'open, sent'
    write "$version-enum.yaml" $version integer 100 integer 'open, sent, lost'
done
cat > Compare.java <<'END'
import org.openapitools.openapidiff.core.OpenApiCompare;
import org.openapitools.openapidiff.core.model.ChangedOpenApi;

class Compare {
    public static void main(String[] arguments) {
        for (String version : new String[]{"3.0.3", "3.1.1"}) {
            for (String changed : new String[]{"parameter", "property", "maximum", "enum"}) {
                ChangedOpenApi changes = OpenApiCompare.fromLocations(version + "-old.yaml", version + "-" + changed + ".yaml");
                System.out.println(version + " " + changed + ": different " + changes.isDifferent() + ", compatible "
                        + changes.isCompatible());
            }
        }
    }
}
END
java -cp 'lib/*' Compare.java | tee seen
cmp - seen <<'END'
3.0.3 parameter: different true, compatible false
3.0.3 property: different true, compatible false
3.0.3 maximum: different true, compatible false
3.0.3 enum: different true, compatible false
3.1.1 parameter: different false, compatible true
3.1.1 property: different false, compatible true
3.1.1 maximum: different true, compatible false
3.1.1 enum: different true, compatible false
END
