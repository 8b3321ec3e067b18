package petstore.cli.doctor;

import java.util.List;
import java.util.Locale;

import petstore.SafeText;

/// A finding of a check.
///
/// @param advice the remedy; empty if nothing is wrong
record Finding(State state, String text, String advice) {

    enum State {
        OK, WARN, FAIL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding ok(String text) {
        return new Finding(State.OK, text, "");
    }

    static Finding warn(String text, String advice) {
        return new Finding(State.WARN, text, advice);
    }

    static Finding fail(String text, String advice) {
        return new Finding(State.FAIL, text, advice);
    }

    /// Returns the finding for the message of an exception, which has its own advice; for its name if it has no message.
    static Finding fail(RuntimeException e) {
        return fail(SafeText.oneLine(e.getMessage() == null ? e.toString() : e.getMessage()), "");
    }

    List<String> row(String check) {
        return List.of(state.toString(), check, text, advice);
    }
}
