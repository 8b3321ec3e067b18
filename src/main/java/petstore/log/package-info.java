/// The log: its set-up, and the writer of the request log.
package petstore.log;
