package petstore.cli.doctor;

import java.util.List;
import java.util.Locale;

/// The result of a check.
///
/// @param advice the remedy; empty if nothing is wrong
record Finding(State state, String check, String text, String advice) {

    static final List<String> NAMES = List.of("state", "check", "finding", "advice");

    enum State {
        OK, WARN, FAIL
    }

    static Finding ok(String check, String text) {
        return new Finding(State.OK, check, text, "");
    }

    static Finding warn(String check, String text, String advice) {
        return new Finding(State.WARN, check, text, advice);
    }

    static Finding fail(String check, String text, String advice) {
        return new Finding(State.FAIL, check, text, advice);
    }

    /// Returns a failed check for the message of an exception, which has its own advice; for its name if it has no message.
    static Finding fail(String check, RuntimeException e) {
        String text = e.getMessage() == null ? e.toString() : e.getMessage();
        return new Finding(State.FAIL, check, text.replaceAll("\\R\\s*+", " "), "");
    }

    /// Returns the columns [#NAMES].
    List<String> columns() {
        return List.of(state.name().toLowerCase(Locale.ROOT), check, text, advice);
    }

    /// Returns the columns for people: the advice follows the text.
    List<String> line() {
        return List.of(columns().getFirst(), check, advice.isEmpty() ? text : text + "; " + advice);
    }
}
