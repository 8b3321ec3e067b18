/// The vocabulary: animals, API keys, the two ports that a store implements, and the one exception. Uses only the JDK.
package petstore;
