package petstore.store.postgres;

import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for addresses of databases.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsAddresses() {
        return WorstText.BULK.tests("address", PostgresUri::parse, "", "postgresql://", "postgresql://a:",
                "postgresql://a:b@", "postgresql://a,b:", "postgresql://a/", "postgresql://a/b?",
                "postgresql://a/b?host=",
                "postgresql://a/b?port=");
    }
}
