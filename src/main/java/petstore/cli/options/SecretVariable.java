package petstore.cli.options;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import petstore.CommandFailure;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

import static java.nio.charset.StandardCharsets.UTF_8;

/// A secret from the environment: the value of a variable, or the content of the file that the variable `…_FILE` names.
public record SecretVariable(String name) {

    private static final int MOST_BYTES = 65_536;

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
        if (file.isEmpty()) {
            throw new ParameterException(command, fileName() + " is empty; it must have the name of a file");
        }
        try (InputStream stream = Files.newInputStream(Path.of(file))) {
            byte[] bytes = stream.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw wrong(command, "is longer than 64 KiB", file);
            }
            String secret = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().stripTrailing();
            if (secret.isEmpty()) {
                throw wrong(command, "is an empty file", file);
            }
            if (secret.lines().count() > 1) {
                throw wrong(command, "must have one line", file);
            }
            return Optional.of(secret);
        } catch (CharacterCodingException e) {
            throw wrong(command, "is not text in UTF-8", file);
        } catch (IOException e) {
            throw CommandFailure.of(fileName() + " cannot be read: " + file, e);
        }
    }

    private ParameterException wrong(CommandLine command, String fault, String file) {
        return new ParameterException(command, fileName() + " " + fault + ": " + file);
    }

    private String fileName() {
        return name + "_FILE";
    }
}
