package petstore.cli.options;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a class whose options have environment variables, e.g. `PETSTORE_ADMIN_PORT` for `--admin-port`.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface HasVariables {
}
