package petstore.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import petstore.Failure;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/// A secret that the environment gives: in a variable, or in a file that the variable of its name and `_FILE` names.
record SecretVariable(String name) {

    /// The secret, without the white space that may end the file; absent when neither variable is set.
    ///
    /// Errors: `ParameterException` when both are or the name is empty, [Failure] when the file cannot be read.
    ///
    /// @param command what is being carried out
    Optional<String> find(Map<String, String> environment, CommandLine command) {
        String fileName = name + "_FILE";
        String text = environment.get(name);
        String file = environment.get(fileName);
        if (text != null && file != null) {
            throw new ParameterException(command, name + " and " + fileName + " must not both be set");
        }
        if (file == null) {
            return Optional.ofNullable(text);
        }
        if (file.isEmpty()) {
            throw new ParameterException(command, fileName + " is empty; it must have the name of a file");
        }
        try {
            return Optional.of(Files.readString(Path.of(file)).stripTrailing());
        } catch (IOException e) {
            throw Failure.unavailable(fileName + " cannot be read: " + file, e);
        }
    }
}
