/// The terminal: streams, tables and progress bars.
package petstore.cli.terminal;
