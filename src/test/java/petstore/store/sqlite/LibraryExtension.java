package petstore.store.sqlite;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Loads SQLite's library as the program does, before a test uses the driver alone: a process with two copies of it crashes.
public final class LibraryExtension implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        SqliteLibrary.load();
    }
}
