import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import org.openapitools.openapidiff.core.OpenApiCompare;
import org.openapitools.openapidiff.core.model.ChangedOpenApi;
import org.openapitools.openapidiff.core.output.ConsoleRender;

/// Compares two versions of the contract. Exits with 1 if a client of the old version could fail with the new one.
///
/// openapi-diff finds most of these changes. [#operations] finds changes that openapi-diff considers compatible.
///
/// Usage: Compare OLD NEW
final class Compare {

    private final JsonNode oldContract;
    private final JsonNode newContract;
    private final List<String> findings = new ArrayList<>();

    private Compare(JsonNode oldContract, JsonNode newContract) {
        this.oldContract = oldContract;
        this.newContract = newContract;
    }

    public static void main(String[] files) throws IOException {
        List<String> breaks = breaks(Files.readString(Path.of(files[0])), Files.readString(Path.of(files[1])));
        breaks.forEach(System.out::println);
        System.exit(breaks.isEmpty() ? 0 : 1);
    }

    /// Returns the changes that could break a client of the old contract. Both are YAML.
    static List<String> breaks(String oldContract, String newContract) throws IOException {
        Compare compare = new Compare(new YAMLMapper().readTree(oldContract), new YAMLMapper().readTree(newContract));
        compare.equal("servers", compare.oldContract.path("servers"), compare.newContract.path("servers"));
        compare.operations();
        ChangedOpenApi change = OpenApiCompare.fromContents(oldContract, newContract);
        if (change.isIncompatible()) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            new ConsoleRender().render(change, new OutputStreamWriter(text));
            compare.findings.add(text.toString());
        }
        return compare.findings;
    }

    private void operations() {
        oldContract.get("paths").properties().forEach(path -> path.getValue().properties().forEach(method -> {
            String name = method.getKey() + " " + path.getKey();
            JsonNode before = method.getValue();
            JsonNode after = newContract.at("/paths/" + path.getKey().replace("/", "~1") + "/" + method.getKey());
            // Generators name classes and methods after these.
            equal(name + " tags", before.path("tags"), after.path("tags"));
            equal(name + " operationId", before.path("operationId"), after.path("operationId"));
            without(name + " newly needs", scopes(after), scopes(before));
            parameters(name, before, after);
            bodies(name + " request", resolve(oldContract, before.path("requestBody")),
                    resolve(newContract, after.path("requestBody")), false);
            before.path("responses").properties().forEach(response -> responses(name + " " + response.getKey(),
                    resolve(oldContract, response.getValue()),
                    resolve(newContract, after.path("responses").path(response.getKey()))));
        }));
    }

    private void parameters(String name, JsonNode before, JsonNode after) {
        for (JsonNode each : before.path("parameters")) {
            JsonNode parameter = resolve(oldContract, each);
            String key = parameter.get("name").asText();
            JsonNode same = MissingNode.getInstance();
            for (JsonNode other : after.path("parameters")) {
                JsonNode candidate = resolve(newContract, other);
                same = candidate.get("name").asText().equals(key) ? candidate : same;
            }
            equal(name + " default of " + key, parameter.at("/schema/default"), same.at("/schema/default"));
            schemas(name + " " + key, parameter.path("schema"), same.path("schema"), false);
        }
    }

    private void responses(String name, JsonNode before, JsonNode after) {
        if (after.isMissingNode()) {
            findings.add(name + " is removed");
            return;
        }
        without(name + " loses the header", names(before.path("headers")), names(after.path("headers")));
        bodies(name, before, after, true);
    }

    private void bodies(String name, JsonNode before, JsonNode after, boolean isResponse) {
        before.path("content").properties().forEach(type -> schemas(name + " " + type.getKey(),
                type.getValue().path("schema"), after.path("content").path(type.getKey()).path("schema"), isResponse));
    }

    /// Clients of the old version read each member of a response. They send only those members of a request that they know.
    private void schemas(String name, JsonNode oldSchema, JsonNode newSchema, boolean isResponse) {
        JsonNode before = resolve(oldContract, oldSchema);
        JsonNode after = resolve(newContract, newSchema);
        equal(name + " type", before.path("type"), after.path("type"));
        equal(name + " format", before.path("format"), after.path("format"));
        without(name + " loses", names(before.path("properties")), names(after.path("properties")));
        if (isResponse) {
            without(name + " no longer requires", texts(before.path("required")), texts(after.path("required")));
        } else {
            without(name + " newly requires", texts(after.path("required")), texts(before.path("required")));
        }
        before.path("properties").properties().forEach(member -> schemas(name + "." + member.getKey(), member.getValue(),
                after.path("properties").path(member.getKey()), isResponse));
        if (before.has("items")) {
            schemas(name + "[]", before.get("items"), after.path("items"), isResponse);
        }
    }

    private void equal(String name, JsonNode before, JsonNode after) {
        if (!before.equals(after)) {
            findings.add(name + " is " + after + ", was " + before);
        }
    }

    /// Adds a finding for each of `some` that is not in `others`.
    private void without(String finding, Set<String> some, Set<String> others) {
        some.stream().filter(each -> !others.contains(each)).forEach(each -> findings.add(finding + " " + each));
    }

    /// Returns the scopes that an operation needs.
    private static Set<String> scopes(JsonNode operation) {
        Set<String> scopes = new TreeSet<>();
        operation.path("security").forEach(each -> each.forEach(scheme -> scopes.addAll(texts(scheme))));
        return scopes;
    }

    private static Set<String> names(JsonNode members) {
        Set<String> names = new TreeSet<>();
        members.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static Set<String> texts(JsonNode list) {
        Set<String> texts = new TreeSet<>();
        list.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static JsonNode resolve(JsonNode contract, JsonNode node) {
        return node.has("$ref") ? resolve(contract, contract.at(node.get("$ref").asText().substring(1))) : node;
    }
}
