/// What the catalogue is: its animals, its API keys, the two ports that a store implements, and the one exception.
/// Nothing but the JDK is used here.
package petstore;
