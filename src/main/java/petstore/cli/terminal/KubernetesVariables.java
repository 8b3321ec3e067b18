package petstore.cli.terminal;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The environment variables that Kubernetes sets in every pod for services whose names begin with `petstore`.
final class KubernetesVariables {

    private static final String PREFIX = "PETSTORE_";
    private static final Pattern NAME = Pattern.compile(PREFIX + "(.+_)?"
            + "(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");
    private static final Pattern PORT = Pattern.compile("(tcp|udp|sctp)://.*");

    private KubernetesVariables() {
    }

    /// Returns an environment without them, e.g. without `PETSTORE_PORT=tcp://10.0.0.1:8080`.
    static Map<String, String> removedFrom(Map<String, String> environment) {
        Map<String, String> others = new TreeMap<>(environment);
        others.entrySet().removeIf(variable -> NAME.matcher(variable.getKey()).matches()
                || (variable.getKey().startsWith(PREFIX) && variable.getKey().endsWith("PORT")
                        && PORT.matcher(variable.getValue()).matches()));
        return others;
    }
}
