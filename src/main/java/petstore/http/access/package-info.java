/// Authentication, rate limits, and headers for browsers.
package petstore.http.access;
