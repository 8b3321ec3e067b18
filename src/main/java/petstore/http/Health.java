package petstore.http;

import java.nio.charset.StandardCharsets;

/// Whether the process lives, and whether it can serve.
final class Health {

    private final Runnable storeCheck;

    /// @param storeCheck throws [petstore.Failure] when the store cannot be used
    Health(Runnable storeCheck) {
        this.storeCheck = storeCheck;
    }

    /// 200 while the process answers at all.
    Answer livez(Request request) {
        return status("live");
    }

    /// 200 while the store can be read and its disk has not failed, else 503.
    Answer readyz(Request request) {
        storeCheck.run();
        return status("ready");
    }

    private static Answer status(String status) {
        return Answer.json(200, ("{\"status\":\"" + status + "\"}").getBytes(StandardCharsets.UTF_8),
                Answer.NO_STORE);
    }
}
