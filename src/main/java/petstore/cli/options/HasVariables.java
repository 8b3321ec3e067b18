package petstore.cli.options;

/// Marks a class whose options have environment variables, e.g. `PETSTORE_ADMIN_PORT` for `--admin-port`.
public interface HasVariables {
}
