package petstore.cli.options;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.cli.Main;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;

import static org.assertj.core.api.Assertions.assertThat;

/// Suggestions for mistyped commands, options and values. For variables, see [VariablesTest].
class NearestWordTest {

    @ParameterizedTest
    @CsvSource(delimiterString = " | ", nullValues = "-", textBlock = """
            sevre                   | serve
            serv                    | serve
            mvoe                    | move
            keys lsit               | list
            serve --prot 8080       | --port
            serve --prot=8080       | --port
            serve --admin-prot 9090 | --admin-port
            serve --databse x       | --database
            backup f --databas x    | -
            serve -x                | -
            serve --xyz             | -
            help sevre              | serve
            move --ot x             | --to
            export f --format cvs   | csv
            keys create --name x --scope pets:raed | pets:read
            serve --page onn        | on
            serve --migrate chek    | check
            serve --log-format JSN  | json
            completion cmd          | -
            completion fsh          | fish
            serve --page of         | off
            SERVE                   | serve
            help SERV               | serve
            serve --PORT 1          | --port
            serve --Prot 1          | --port
            keys rotate -- -dash --data k | -
            -- serve                | -
            export f --format xml   | -
            stop                    | -""")
    void suggestsNearestWord(String line, String suggestion) {
        Ending ending = CommandLines.ending(Map.of(), line.split(" ", -1));
        assertThat(ending.code()).isEqualTo(Main.WRONG_USAGE);
        String message = ending.err().getFirst();
        if (suggestion == null) {
            assertThat(message).doesNotContain("did you mean");
        } else {
            assertThat(message).contains("; did you mean " + suggestion + "? (see ");
        }
    }
}
