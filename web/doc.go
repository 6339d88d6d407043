// Package web is the page's way into the program: its files, built by make web and
// embedded under the tag tabula_page. It imports nothing of this module.
package web
