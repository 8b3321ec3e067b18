package petstore.cli.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import petstore.CommandFailure;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/// A secret from the environment: the value of a variable, or the content of the file that the variable `…_FILE` names.
public record SecretVariable(String name) {

    public static final SecretVariable API_KEY = new SecretVariable("PETSTORE_API_KEY");
    static final SecretVariable DATABASE_PASSWORD = new SecretVariable("PETSTORE_DATABASE_PASSWORD");

    List<String> variables() {
        return List.of(name, fileName());
    }

    /// Returns the name of the variable that has the secret: `…_FILE` if it is set.
    public String source(Map<String, String> environment) {
        return environment.containsKey(fileName()) ? fileName() : name;
    }

    /// Returns the secret, without the white space that may end the file; absent if neither variable is set.
    ///
    /// Errors: `ParameterException` if the variable does not name a file with one line, [CommandFailure] if the file cannot be read.
    Optional<String> find(Map<String, String> environment, CommandLine command) {
        String file = environment.get(fileName());
        if (file == null) {
            return Optional.ofNullable(environment.get(name));
        }
        try {
            String secret = file.isEmpty() ? "" : Files.readString(Path.of(file)).stripTrailing();
            if (secret.lines().count() != 1) {
                throw new ParameterException(command,
                        fileName() + " must name a file with one line, not '" + file + "'");
            }
            return Optional.of(secret);
        } catch (IOException e) {
            throw CommandFailure.of(fileName() + " cannot be read: " + file, e);
        }
    }

    private String fileName() {
        return name + "_FILE";
    }
}
