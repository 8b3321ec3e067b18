package petstore.app;

import java.io.PrintWriter;
import java.time.Clock;
import java.util.Map;

/// What surrounds a command: where it writes, which environment it was started in, and what time it is.
///
/// @param out for data
/// @param err for everything else
/// @param environment the environment variables
/// @param clock the time
record Console(PrintWriter out, PrintWriter err, Map<String, String> environment, Clock clock) {
}
