/// The checks of `petstore doctor`, and the programs that use its ports.
package petstore.cli.doctor;
