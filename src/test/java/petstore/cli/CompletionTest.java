package petstore.cli;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.CommandLines;

import static org.assertj.core.api.Assertions.assertThat;

/// The text of the completion scripts. `CommandsIT` runs the scripts in their shells.
class CompletionTest {

    private static String script(String shell) {
        return String.join("\n", CommandLines.ending(Map.of(), "completion", shell).out());
    }

    /// Returns the part of bash's script for a command.
    private static String bash(String command) {
        String script = script("bash");
        int begin = script.indexOf("\nfunction _picocli_petstore_" + command + "()");
        return script.substring(begin, script.indexOf("\n}", begin));
    }

    @Test
    void bashScriptWritesValuesLikeHelp() {
        assertThat(bash("export")).contains("FORMAT_option_args=(\"ndjson\" \"csv\")");
        assertThat(bash("completion")).contains("SHELL_pos_param_args=(\"bash\" \"zsh\" \"fish\")");
        assertThat(script("bash")).doesNotContainPattern("_args=\\(.*[A-Z].*\\)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"import", "export", "backup", "restore"})
    void bashScriptCompletesFiles(String command) {
        assertThat(bash(command)).contains("positionals=$( compgen -f");
        assertThat(bash("serve")).containsPattern("'--tls-certificate'\\)\\n.*\\n.*\\n.* compgen -f")
                .containsPattern("'--tls-key'\\)\\n.*\\n.*\\n.* compgen -f");
    }

    @Test
    void completesCommandAfterHelp() {
        assertThat(bash("help")).contains("COMMAND_pos_param_args=(\"serve\" \"keys\"");
        assertThat(script("fish")).contains("-n '__fish_seen_subcommand_from help' -f -a 'serve keys ");
    }
}
