package petstore.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import petstore.Failure;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/// A secret from the environment: from a variable, or from the file that a second variable, with `_FILE` behind the name, names.
record SecretVariable(String name) {

    static final SecretVariable API_KEY = new SecretVariable("PETSTORE_API_KEY");
    static final SecretVariable DATABASE_PASSWORD = new SecretVariable("PETSTORE_DATABASE_PASSWORD");

    /// Does nothing unless both variables are set. Errors: `ParameterException` then.
    void requireOnce(Map<String, String> environment, CommandLine command) {
        if (environment.containsKey(name) && environment.containsKey(fileName())) {
            throw new ParameterException(command, name + " and " + fileName() + " must not both be set");
        }
    }

    /// Returns the secret, without the white space that may end the file; absent if neither variable is set.
    ///
    /// Errors: `ParameterException` if the name of the file is empty, [Failure] if the file cannot be read.
    Optional<String> find(Map<String, String> environment, CommandLine command) {
        String file = environment.get(fileName());
        if (file == null) {
            return Optional.ofNullable(environment.get(name));
        }
        if (file.isEmpty()) {
            throw new ParameterException(command, fileName() + " is empty; it must have the name of a file");
        }
        try {
            return Optional.of(Files.readString(Path.of(file)).stripTrailing());
        } catch (IOException e) {
            throw Failure.unavailable(fileName() + " cannot be read: " + file, e);
        }
    }

    private String fileName() {
        return name + "_FILE";
    }
}
