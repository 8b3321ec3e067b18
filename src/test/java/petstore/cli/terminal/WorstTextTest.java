package petstore.cli.terminal;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for variables and tables.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsVariables() {
        return Stream.of("", "PETSTORE_", "PETSTORE_SERVICE_PORT_", "PETSTORE_PORT_", "PETSTORE_PORT=tcp://")
                .flatMap(name -> WorstText.BULK.tests("variable", WorstTextTest::console, name));
    }

    /// The name of a service is part of the names of its variables.
    @TestFactory
    Stream<DynamicTest> readsVariablesOfKubernetes() {
        return Stream.of("SERVICE_PORT_", "PORT_1_", "PORT_1_TCP_", "_")
                .flatMap(part -> WorstText.BULK.tests("variable of " + part,
                        text -> console("PETSTORE_" + part.repeat(text.length() / part.length()) + "\n"), ""));
    }

    private static void console(String variable) {
        Console.of(InputStream.nullInputStream(), OutputStream.nullOutputStream(), OutputStream.nullOutputStream(),
                false,
                Map.of(variable, variable), Clock.systemUTC());
    }

    @TestFactory
    Stream<DynamicTest> alignsCells() {
        return WorstText.BULK.tests("cell", text -> TextTable.of(List.of(List.of(text, "b"))), "",
                "\u0301");
    }
}
