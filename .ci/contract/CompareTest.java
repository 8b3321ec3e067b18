import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Breaks the contract in several ways. Exits with 1 unless [Compare] finds each of them.
///
/// Usage: CompareTest CONTRACT
final class CompareTest {

    /// Texts of the contract, and their replacements.
    private static final String[][] BREAKS = {
            {"status:\n          $ref: '#/components/schemas/PetStatus'\n          description: Availability of the animal. Absent",
                    "state:\n          $ref: '#/components/schemas/PetStatus'\n          description: Availability of the animal. Absent"},
            {"    Pets:\n      type: array", "    Pets:\n      type: object"},
            {"      items: { $ref: '#/components/schemas/Pet' }", "      items: { type: string }"},
            {"    NewPet:\n      type: object", "    NewPet:\n      type: array"},
            {"security: [{ apiKey: ['pets:read'] }]\n      summary: List",
                    "security: [{ apiKey: ['pets:write'] }]\n      summary: List"},
            {"  - url: /v1\n", "  - url: /v2\n"},
            {"default: 20", "default: 10"},
            {"operationId: listPets", "operationId: list"},
            {"  /pets/{petId}:\n", "  /animals/{petId}:\n"},
            {"          in: query\n          description: The maximum",
                    "          in: query\n          required: true\n          description: The maximum"},
            {"        default: { $ref: '#/components/responses/OtherError' }\n\n    post:", "\n    post:"},
            {"            ETag: { $ref: '#/components/headers/ETag' }\n", ""},
            {"      required: [name, categoryId]\n", "      required: [name, categoryId, status]\n"},
    };

    public static void main(String[] files) throws IOException {
        String contract = Files.readString(Path.of(files[0]));
        boolean allFound = Compare.breaks(contract, contract).isEmpty();
        for (String[] each : BREAKS) {
            String broken = contract.replaceFirst(Pattern.quote(each[0]), Matcher.quoteReplacement(each[1]));
            boolean found = !broken.equals(contract) && !Compare.breaks(contract, broken).isEmpty();
            if (!found) {
                System.out.println("not found: " + each[0] + " → " + each[1]);
            }
            allFound &= found;
        }
        System.exit(allFound ? 0 : 1);
    }
}
