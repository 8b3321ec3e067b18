/// The vocabulary: animals, API keys, the two ports that a store implements, and the two exceptions. Uses only the JDK.
package petstore;
