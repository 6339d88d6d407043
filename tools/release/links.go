package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// home is where what an archive does not hold can be read.
const home = "https://github.com/tabula-chess/tabula/"

// link matches the target of a link or picture in Markdown, and in the HTML within.
var link = regexp.MustCompile(`(\]\(|\b(?:src|href|srcset)=")([^)"\s]+)`)

// absolute returns a Markdown text of the root folder with its relative links to
// files that are not among those packed made links to the repository.
func absolute(text []byte, packed []string) []byte {
	return link.ReplaceAllFunc(text, func(match []byte) []byte {
		parts := link.FindSubmatch(match)
		before, to := string(parts[1]), string(parts[2])
		if !relative(to) {
			return match
		}
		name, _, _ := strings.Cut(to, "#")
		if slices.Contains(packed, path.Clean(name)) {
			return match
		}
		kind := "blob/HEAD/"
		if slices.Contains([]string{".png", ".svg", ".jpg", ".gif"}, path.Ext(name)) {
			kind = "raw/HEAD/"
		}
		return []byte(before + home + kind + to)
	})
}

// relative reports whether a link leads to another file of the same repository.
func relative(to string) bool { return !strings.Contains(to, ":") && !strings.HasPrefix(to, "#") }
