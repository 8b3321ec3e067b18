package petstore.cli.options;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.cli.Main;
import petstore.cli.terminal.Console;

import static org.assertj.core.api.Assertions.assertThat;

/// Suggestions for mistyped commands, options and values. For variables, see [VariablesTest].
class NearestWordTest {

    @ParameterizedTest
    @CsvSource(delimiterString = " | ", nullValues = "-", textBlock = """
            sevre                   | serve
            serv                    | serve
            mvoe                    | move
            exprot -                | export
            keys lsit               | list
            keys craete --name x    | create
            serve --prot 8080       | --port
            serve --prot=8080       | --port
            serve --admin-prot 9090 | --admin-port
            keys list --fromat json | --format
            serve --databse x       | --database
            backup f --databas x    | -
            serve -x                | -
            serve --xyz             | -
            help sevre              | serve
            help keys crate         | create
            keys create --nmae x    | --name
            move --ot x             | --to
            import --fromat csv     | --format
            export f --format cvs   | csv
            keys list --format jsno | json
            keys create --name x --scope pets:raed | pets:read
            serve --access-log ture | true
            serve --page onn        | on
            serve --migrate chek    | check
            serve --log-format JSN  | json
            completion fihs         | fish
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
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(Main.run(Console.of(InputStream.nullInputStream(), new ByteArrayOutputStream(), err, false, Map.of(),
                Clock.systemUTC()), line.split(" ", -1))).isEqualTo(Main.WRONG_USAGE);
        String message = err.toString(StandardCharsets.UTF_8);
        if (suggestion == null) {
            assertThat(message).doesNotContain("did you mean");
        } else {
            assertThat(message).contains("; did you mean " + suggestion + "? (see ");
        }
    }
}
