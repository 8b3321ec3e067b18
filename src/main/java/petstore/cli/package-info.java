/// The program: `Main`, a class for each command, and the terminal.
package petstore.cli;
