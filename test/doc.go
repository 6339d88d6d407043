// Package test holds the tests of the project as a whole: its programs, documents, names and API.
package test
