/// The program: its command line, its settings, and the wiring of everything else.
package petstore.app;
