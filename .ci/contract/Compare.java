import java.io.OutputStreamWriter;
import java.util.List;

import io.swagger.v3.oas.models.Operation;
import org.openapitools.openapidiff.core.OpenApiCompare;
import org.openapitools.openapidiff.core.model.ChangedOpenApi;
import org.openapitools.openapidiff.core.output.ConsoleRender;

/// Compares two versions of the contract. Exits with 1 if a client of the old version could fail with the new one.
///
/// Usage: Compare OLD NEW
final class Compare {

    public static void main(String[] files) {
        ChangedOpenApi change = OpenApiCompare.fromLocations(files[0], files[1]);
        List<String> renamed = change.getChangedOperations().stream()
                .filter(each -> !name(each.getOldOperation()).equals(name(each.getNewOperation())))
                .map(each -> name(each.getOldOperation()) + " is now " + name(each.getNewOperation())).toList();
        if (change.isIncompatible()) {
            new ConsoleRender().render(change, new OutputStreamWriter(System.out));
        }
        renamed.forEach(System.out::println);
        System.exit(change.isIncompatible() || !renamed.isEmpty() ? 1 : 0);
    }

    /// Returns the tags and the operationId: class and method in generated clients.
    private static String name(Operation operation) {
        return operation.getTags() + " " + operation.getOperationId();
    }
}
