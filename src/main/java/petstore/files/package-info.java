/// Files that appear whole, and locks and modes that keep others out.
package petstore.files;
