package petstore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/// The rules of ARCHITECTURE.md: the packages, their dependencies, and the packages that may use a library.
class ArchitectureTest {

    private static final JavaClasses PROGRAM = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("petstore");
    private static final int MOST_FILES = 18;

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(petstore[a-z.]*)` \\|[^|]*\\|([^|]*)\\|$");
    private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");

    private static boolean closes(JavaAccess<?> access) {
        return access.getName().equals("close") && access.getTargetOwner().isAssignableTo(AutoCloseable.class);
    }

    /// Returns the packages of the table in ARCHITECTURE.md, each with the packages that it may see.
    private static Map<String, List<String>> packages() {
        try {
            Map<String, List<String>> packages = new TreeMap<>();
            ROW.matcher(Files.readString(Path.of("ARCHITECTURE.md"))).results()
                    .forEach(row -> packages.put(row.group(1),
                            NAME.matcher(row.group(2)).results().map(name -> "petstore." + name.group(1)).toList()));
            return packages;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<String> packageNames() {
        return packages().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("packageNames")
    void dependsOnlyOnAllowedPackages(String packageName) {
        List<String> visible = packages().getOrDefault(packageName, List.of());
        String[] allowed = Stream.concat(Stream.of("petstore", packageName), visible.stream()).toArray(String[]::new);
        DescribedPredicate<JavaClass> outside = resideOutsideOfPackage("petstore..");
        check(classes().that().resideInAPackage(packageName).should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed).or(outside)));
    }

    @Test
    void everyPackageIsInTableAndHasFewFiles() {
        Map<String, Long> files = new TreeMap<>();
        PROGRAM.stream().filter(type -> type.getEnclosingClass().isEmpty())
                .forEach(type -> files.merge(type.getPackageName(), 1L, Long::sum));
        assertThat(files.keySet()).isEqualTo(packages().keySet());
        assertThat(files.values()).allMatch(count -> count <= MOST_FILES);
    }

    @Test
    void packagesHaveNoDependencyCycles() {
        check(slices().matching("petstore.(**)").should().beFreeOfCycles());
    }

    @Test
    void rootPackageUsesOnlyTheJdk() {
        check(classes().that().resideInAPackage("petstore").should().onlyDependOnClassesThat()
                .resideInAnyPackage("petstore", "java.."));
    }

    @Test
    void onlyTheStoreUsesJdbc() {
        check(noClasses().that().resideOutsideOfPackage("petstore.store..").should().dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "org.sqlite.."));
    }

    /// A message of the server may show values of rows.
    @Test
    void onlyPostgresErrorsReadsMessagesOfPostgres() {
        check(noClasses().that().resideInAPackage("petstore.store.postgres").and()
                .doNotHaveSimpleName("PostgresErrors").should().callMethodWhere(target(nameMatching("getMessage"))
                        .and(target(owner(assignableTo(Throwable.class).and(not(type(Failure.class)))
                                .and(not(type(CommandFailure.class))))))));
    }

    @Test
    void onlyTheServerUsesNetty() {
        check(noClasses().that().resideOutsideOfPackage("petstore.http.server..").should().dependOnClassesThat()
                .resideInAPackage("io.netty.."));
    }

    @Test
    void nothingUsesInternalsOfNetty() {
        check(noClasses().should().dependOnClassesThat(resideInAPackage("io.netty..internal..")).orShould()
                .callMethodWhere(target(nameMatching("unsafe")).and(target(owner(assignableTo(Channel.class))))));
    }

    /// `Server` closes the listening sockets as a group, which is not matched. The other exceptions pass a close on.
    @Test
    void onlyConnectionCloserClosesConnections() {
        check(noClasses().that().resideInAPackage("petstore.http.server..").and()
                .haveSimpleNameNotStartingWith("ConnectionCloser").and()
                .haveSimpleNameNotEndingWith("FlushConsolidator").and().doNotHaveSimpleName("OfStream").and()
                .haveSimpleNameNotStartingWith("Acceptor").should()
                .callMethodWhere(
                        target(nameMatching("(close|disconnect|deregister|resetStream|goAway|shutdown.*)")).and(
                                target(owner(assignableTo(ChannelOutboundInvoker.class)
                                        .or(assignableTo(Http2ConnectionHandler.class)))))));
    }

    /// If one part failed to close, the others would stay open.
    @Test
    void onlyCloserClosesSeveralParts() {
        check(noCodeUnits().that().areDeclaredInClassesThat().doNotHaveSimpleName("Closer")
                .should(new ArchCondition<>("close several parts") {
                    @Override
                    public void check(JavaCodeUnit code, ConditionEvents events) {
                        // `try` with one resource has two calls.
                        long closed = Stream.concat(code.getMethodCallsFromSelf().stream(),
                                code.getMethodReferencesFromSelf().stream()).filter(ArchitectureTest::closes)
                                .map(JavaAccess::getTargetOwner).distinct().count();
                        boolean isForAll = code.getMethodReferencesFromSelf().stream()
                                .anyMatch(ArchitectureTest::closes)
                                && code.getMethodCallsFromSelf().stream()
                                        .anyMatch(call -> call.getName().equals("forEach"));
                        if (isForAll || (code.getName().equals("close") && closed > 1)) {
                            events.add(SimpleConditionEvent.satisfied(code, code.getFullName() + " closes several"));
                        }
                    }
                }));
    }

    @Test
    void onlyJsonLogAndContractUseJackson() {
        check(noClasses().that().resideOutsideOfPackages("petstore.json", "petstore.log").and()
                .doNotHaveFullyQualifiedName("petstore.http.OpenApiDocument").should().dependOnClassesThat()
                .resideInAnyPackage("com.fasterxml.."));
    }

    @Test
    void onlyTheCommandLineUsesPicocli() {
        check(noClasses().that().resideOutsideOfPackage("petstore.cli..").should().dependOnClassesThat()
                .resideInAnyPackage("picocli.."));
    }

    @Test
    void onlyTheCommandLineExitsAndUsesStandardStreams() {
        check(noClasses().that().resideOutsideOfPackage("petstore.cli").should()
                .callMethod(System.class, "exit", int.class)
                .orShould().callMethod(Runtime.class, "halt", int.class));
        check(noClasses().that().doNotHaveFullyQualifiedName("petstore.cli.Main").should()
                .accessField(System.class, "out").orShould().accessField(System.class, "err"));
    }

    private static void check(ArchRule rule) {
        rule.check(PROGRAM);
    }
}
