/// The program: `Main`, and a class for each command.
package petstore.cli;
