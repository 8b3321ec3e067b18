/// Who may do what, how often, and from which site.
package petstore.http.access;
