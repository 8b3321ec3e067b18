/// Animals, errors and keys as JSON. Parsers are strict.
package petstore.json;
