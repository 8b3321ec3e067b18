package petstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/// The documents are in short sentences and in plain words, and so are the comments and messages of the program.
class ProseTest {

    private static final int MOST_WORDS = 30;

    /// Words that have to be decoded. The field's word or a shorter sentence takes their place.
    private static final Pattern UNCLEAR = Pattern.compile(
            "\\b(?:whoever|whichever|gives? back|given back|(?:is|are|was|be) told|"
                    + "but for|all the same|be it|the former|the latter|of which one|what is done|so to speak)\\b|^What .*\\.$",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```$|^---$.*?^---$");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK = Pattern.compile("!?\\[([^]]*)]\\([^)]*\\)");
    /// The end of a sentence.
    private static final Pattern END = Pattern.compile("(?<=[.!?:;])\\s+(?=[\\p{Lu}\\p{N}\"(*])");
    private static final Pattern START = Pattern.compile("^\\s*(?:[-*]|\\d+\\.|#+)\\s+");

    private static Stream<Path> documents() throws IOException {
        List<Path> all = new ArrayList<>(List.of(Path.of("README.md"), Path.of("ARCHITECTURE.md"),
                Path.of("CONTRIBUTING.md"), Path.of("SECURITY.md")));
        try (Stream<Path> docs = Files.list(Path.of("docs"))) {
            docs.filter(file -> file.toString().endsWith(".md")).forEach(all::add);
        }
        return all.stream();
    }

    @Test
    void sentencesOfTheDocumentsAreShort() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path document : documents().toList()) {
            for (String sentence : sentences(Files.readString(document))) {
                if (sentence.split("\\s+", -1).length > MOST_WORDS) {
                    tooLong.add(document + ": " + sentence);
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void wordsOfTheDocumentsAreClear() throws IOException {
        List<String> unclear = new ArrayList<>();
        for (Path document : documents().toList()) {
            for (String sentence : sentences(Files.readString(document))) {
                if (UNCLEAR.matcher(sentence).find()) {
                    unclear.add(document + ": " + sentence);
                }
            }
        }
        assertThat(unclear).isEmpty();
    }

    /// The sentences of a document: of its paragraphs, items and cells.
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
