package petstore;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/// The packages and arrows of ARCHITECTURE.md.
class ArchitectureTest {

    private static final JavaClasses PROGRAM = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("petstore");

    @Test
    void arrowsBetweenPackages() {
        check(layeredArchitecture().consideringOnlyDependenciesInLayers()
                .layer("root").definedBy("petstore")
                .layer("json").definedBy("petstore.json..")
                .layer("sql").definedBy("petstore.sql..")
                .layer("http").definedBy("petstore.http..")
                .layer("transfer").definedBy("petstore.transfer..")
                .layer("app").definedBy("petstore.app..")
                .whereLayer("app").mayNotBeAccessedByAnyLayer()
                .whereLayer("http").mayOnlyBeAccessedByLayers("app")
                .whereLayer("transfer").mayOnlyBeAccessedByLayers("app")
                .whereLayer("sql").mayOnlyBeAccessedByLayers("app")
                .whereLayer("json").mayOnlyBeAccessedByLayers("http", "transfer", "app")
                .whereLayer("root").mayOnlyBeAccessedByLayers("json", "sql", "http", "transfer", "app"));
    }

    @Test
    void everyClassIsInOneOfThePackages() {
        check(classes().should().resideInAnyPackage("petstore", "petstore.json", "petstore.sql", "petstore.http",
                "petstore.transfer", "petstore.app"));
        check(slices().matching("petstore.(*)..").should().beFreeOfCycles());
    }

    @Test
    void rootUsesNothingButTheJdk() {
        check(classes().that().resideInAPackage("petstore").should().onlyDependOnClassesThat()
                .resideInAnyPackage("petstore", "java.."));
    }

    @Test
    void jdbcStaysInSql() {
        check(noClasses().that().resideOutsideOfPackage("petstore.sql").should().dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "org.sqlite.."));
    }

    @Test
    void vertxStaysInHttp() {
        check(noClasses().that().resideOutsideOfPackage("petstore.http").should().dependOnClassesThat()
                .resideInAnyPackage("io.vertx..", "io.netty.."));
    }

    @Test
    void jsonLibraryStaysInJsonAndTheContract() {
        check(noClasses().that().resideOutsideOfPackage("petstore.json").and()
                .doNotHaveFullyQualifiedName("petstore.http.Contract").should().dependOnClassesThat()
                .resideInAnyPackage("com.fasterxml.."));
    }

    @Test
    void picocliStaysInApp() {
        check(noClasses().that().resideOutsideOfPackage("petstore.app").should().dependOnClassesThat()
                .resideInAnyPackage("picocli.."));
    }

    @Test
    void theProcessAndItsConsoleBelongToApp() {
        check(noClasses().that().resideOutsideOfPackage("petstore.app").should()
                .callMethod(System.class, "exit", int.class)
                .orShould().callMethod(Runtime.class, "halt", int.class));
        check(noClasses().that().doNotHaveFullyQualifiedName("petstore.app.Main").should()
                .accessField(System.class, "out").orShould().accessField(System.class, "err"));
    }

    private static void check(ArchRule rule) {
        rule.check(PROGRAM);
    }
}
