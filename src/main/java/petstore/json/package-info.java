/// Animals, errors, keys and log lines as JSON: strict in what it reads, exact in what it writes.
package petstore.json;
