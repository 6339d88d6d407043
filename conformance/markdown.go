package main

import (
	"fmt"
	"strings"
)

const intro = `<!-- Written by go run ./conformance from the tests. Do not edit. -->

# What Tabula promises, and the tests that hold it to that

The rows are numbered after a collection of what people who run chess engines and import chess libraries ask for in
public issue trackers. Each row here is kept by the tests beside it; a row without a test is not in the list. Run one
with ` + "`go test ./FOLDER -run NAME`" + `. ` + "`TestScripts`" + ` plays scripted UCI sessions with the built binary, found in
` + "`conformance/testdata/script`" + `; every such session is also judged as a game runner would: one legal ` + "`bestmove`" + ` for each
` + "`go`" + `, equal to the first move of a last exact info line; principal variations legal, ended where the game ends,
and as long as a mate score says.
`

// markdown returns the text of docs/conformance.md.
func markdown(promises []promise) string {
	var b strings.Builder
	b.WriteString(intro)
	section, row := "", 0
	for _, p := range promises {
		if s := sectionOf(p.row); s != section {
			section = s
			fmt.Fprintf(&b, "\n## %s\n\n| row | promise | test |\n| --- | --- | --- |\n", s)
		}
		number := ""
		if p.row != row {
			row = p.row
			number = fmt.Sprint(row)
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` in `%s` |\n", number, strings.ReplaceAll(p.text, "|", "\\|"), p.test, p.room)
	}
	return b.String()
}

// between replaces what stands between two markers of a text, each alone on
// its line.
func between(text, open, end, content string) (string, error) {
	before, rest, ok := strings.Cut(text, open+"\n")
	if !ok {
		return "", fmt.Errorf("the line %s is missing", open)
	}
	_, after, ok := strings.Cut(rest, end+"\n")
	if !ok {
		return "", fmt.Errorf("the line %s is missing", end)
	}
	return before + open + "\n" + content + end + "\n" + after, nil
}
