/// Options, environment variables, and their conversion.
package petstore.cli.options;
