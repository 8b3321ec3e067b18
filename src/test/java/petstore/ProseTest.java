package petstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/// The documents, the comments and messages of the program and its tests, and the contract use short sentences and plain words.
class ProseTest {

    private static final int MOST_WORDS = 30;

    /// Phrases that a reader has to decode. A technical term or a shorter sentence replaces them.
    private static final Pattern UNCLEAR = Pattern.compile(
            "\\b(?:who(?:so)?ever|whomever|whichever|(?:gives?|gave|given|giving) (?:it |them )?back"
                    + "|(?:is|are|am|was|were|be|been|being) told|but for|all the same|be it|be they"
                    + "|the (?:former|latter)|of such|of which one|what is done|so to speak|in vain)\\b|^What .*\\.$",
            Pattern.CASE_INSENSITIVE);
    /// Clauses that a program's comments and messages do without.
    private static final Pattern UNCLEAR_CLAUSE = Pattern.compile(
            "\\b(?:(?:has|have|had|is|are|was|were) to be"
                    + "|what (?:is|are|was|were|has|have|had|does|do|did|can|could|must|may|might|will|would))\\b(?!.*\\?$)",
            Pattern.CASE_INSENSITIVE);
    /// A docstring begins with a verb in the third person or with a noun phrase.
    private static final Pattern UNCLEAR_BEGIN = Pattern
            .compile("^(?:What(?:ever)?|Whether|Who(?:m|se)?|Where|How|Which)\\b(?!.*\\?$)");

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```$|^---$.*?^---$");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK = Pattern.compile("!?\\[([^]]*)]\\([^)]*\\)");
    /// The end of a sentence.
    private static final Pattern END = Pattern.compile("(?<=[.!?:;])\\s+(?=[\\p{Lu}\\p{N}\"(*])");
    private static final Pattern START = Pattern.compile("^\\s*(?:[-*]|\\d+\\.|#+)\\s+");

    /// Two string literals that Java joins.
    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");
    /// A text block, a string, a character, or lines of comments.
    private static final Pattern TEXT = Pattern
            .compile("\"\"\"(?s:.*?)\"\"\"|\"(?:[^\"\\\\\\n]|\\\\.)*+\"|'(?:[^'\\\\]|\\\\.)+'"
                    + "|//[^\\n]*(?:\\n[ \\t]*//[^\\n]*)*");
    /// Marks of comments, and tags with the names of parameters.
    private static final Pattern MARK = Pattern.compile("(?m)^[ \\t]*//+ ?|@(?:param|throws) \\S+");

    private static Stream<Path> documents() throws IOException {
        List<Path> all = new ArrayList<>(List.of(Path.of("README.md"), Path.of("ARCHITECTURE.md"),
                Path.of("CONTRIBUTING.md"), Path.of("SECURITY.md"), Path.of("examples/README.md")));
        try (Stream<Path> docs = Files.list(Path.of("docs"))) {
            docs.filter(file -> file.toString().endsWith(".md")).forEach(all::add);
        }
        return all.stream();
    }

    private static Stream<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            // This file has examples of unclear texts.
            return files.filter(file -> file.toString().endsWith(".java") && !file.endsWith("ProseTest.java")).sorted()
                    .toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void sentencesOfTheDocumentsAreShort(Path document) throws IOException {
        assertThat(sentences(Files.readString(document)))
                .noneMatch(sentence -> sentence.split("\\s+", -1).length > MOST_WORDS);
    }

    @ParameterizedTest
    @MethodSource("documents")
    void wordsOfTheDocumentsAreClear(Path document) throws IOException {
        assertThat(sentences(Files.readString(document))).noneMatch(sentence -> UNCLEAR.matcher(sentence).find());
    }

    @ParameterizedTest
    @MethodSource("sources")
    void wordsOfTheProgramAndItsTestsAreClear(Path source) throws IOException {
        assertThat(unclear(Files.readString(source))).isEmpty();
    }

    @Test
    void wordsOfTheContractAreClear() throws IOException {
        JsonNode contract = new YAMLMapper().readTree(Files.readString(Path.of("openapi.yaml")));
        List<String> descriptions = Stream.of("description", "summary", "title")
                .flatMap(member -> contract.findValuesAsText(member).stream())
                .flatMap(text -> sentences(text).stream()).toList();
        assertThat(descriptions).hasSizeGreaterThan(50).noneMatch(ProseTest::isUnclear);
    }

    /// The guard itself: each of these pieces of a program has an unclear text.
    @ParameterizedTest
    @ValueSource(strings = {"/// Whether a page is kept.\nboolean kept;", "    // Goes to whoever\n    // asks first.",
            "say(\"the key is told to \" + name);", "fail(\"the file is given\"\n        + \" back\");",
            "/// How many\n/// requests wait.", "// Only what is left.", "log(\"\"\"\n    all the same\n    \"\"\");",
            "char quote = '\"'; // but for this", "url(\"https://host\"); // in vain"})
    void unclearTextsAreFound(String source) {
        assertThat(unclear(source)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/// Returns true if the page is cached.", "int whoever = what.is();",
            "/// Returns what\nint is;", "String a = \"what\"; String is = \"is\";", "// Which comes first?",
            "/// Parses `what is told`.", "/// Fails.\n///\n/// @param what is shown"})
    void otherTextsAreNot(String source) {
        assertThat(unclear(source)).isEmpty();
    }

    /// Returns the comments and string literals of a source file that are unclear, each as one line.
    private static List<String> unclear(String source) {
        return TEXT.matcher(JOINED.matcher(source).replaceAll("")).results().map(MatchResult::group)
                .filter(text -> isUnclear(plain(text))
                        || (text.startsWith("///") && UNCLEAR_BEGIN.matcher(plain(text)).find()))
                .map(ProseTest::plain).toList();
    }

    private static boolean isUnclear(String text) {
        return UNCLEAR.matcher(text).find() || UNCLEAR_CLAUSE.matcher(text).find();
    }

    /// Returns the text without the marks of its kind, and without code.
    private static String plain(String text) {
        String content = text.startsWith("/")
                ? CODE.matcher(MARK.matcher(text).replaceAll("")).replaceAll("X")
                : text.replaceAll("^\"+|\"+$", "");
        return content.replaceAll("\\s+", " ").strip();
    }

    /// Returns the sentences of a document: of its paragraphs, items and cells.
    private static List<String> sentences(String document) {
        List<String> sentences = new ArrayList<>();
        StringBuilder paragraph = new StringBuilder();
        for (String line : (BLOCK.matcher(document).replaceAll("") + "\n").split("\n", -1)) {
            boolean row = line.startsWith("|");
            if (row || line.isBlank() || START.matcher(line).find()) {
                addSentences(paragraph, sentences);
            }
            if (row) {
                Stream.of(line.split("\\|", -1)).forEach(cell -> addSentences(new StringBuilder(cell), sentences));
            } else {
                paragraph.append(' ').append(START.matcher(line).replaceFirst(""));
            }
        }
        addSentences(paragraph, sentences);
        return sentences;
    }

    private static void addSentences(StringBuilder paragraph, List<String> sentences) {
        String text = LINK.matcher(CODE.matcher(paragraph).replaceAll("X")).replaceAll("$1").replace("e.g. ", "eg ")
                .strip();
        paragraph.setLength(0);
        Stream.of(END.split(text)).map(String::strip).filter(sentence -> !sentence.isEmpty()).forEach(sentences::add);
    }
}
