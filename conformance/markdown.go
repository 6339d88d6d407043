package main

import (
	"fmt"
	"strings"
)

const intro = `<!-- Written by go run ./conformance from the tests. Do not edit. -->

# What Tabula promises, and the tests that hold it to that

What is in bold is what people ask for who run chess engines, write GUIs and game runners for them or import chess
libraries: the requests and complaints that come up again and again in the public issue trackers of such projects, each
put into a sentence. Below it stand the promises that Tabula gives and the test that keeps each. Run one with
` + "`go test ./FOLDER -run NAME`" + `. ` + "`TestScripts`" + ` plays scripted UCI sessions with the built binary, found in
` + "`conformance/testdata/script`" + `; every such session is also judged as a game runner would: one legal ` + "`bestmove`" + ` for each
` + "`go`" + `, equal to the first move of a last exact info line; principal variations legal, ended where the game ends,
and as long as a mate score says. Answers that come late are failures only under ` + "`make clocks`" + `, on a machine without
other work; those that come too early, or not at all, always are. Numbers of threads stand behind a promise or in it; where
there are none it was tried with one, or nothing searches in its test.
`

// markdown returns the text of docs/conformance.md.
func markdown(promises []promise) string {
	var b strings.Builder
	b.WriteString(intro)
	row, open := 0, []string(nil)
	for _, s := range sections() {
		fmt.Fprintf(&b, "\n## %s\n\n| row | promise | test |\n| --- | --- | --- |\n", s.name)
		for _, ask := range s.asks {
			row++
			kept := false
			for _, p := range promises {
				if p.row != row {
					continue
				}
				if !kept {
					fmt.Fprintf(&b, "| %d | **%s** | |\n", row, ask)
				}
				kept = true
				fmt.Fprintf(&b, "|  | %s | `%s` in `%s` |\n", strings.ReplaceAll(p.text, "|", "\\|")+threadsOf(p), p.test, p.room)
			}
			if !kept {
				open = append(open, fmt.Sprintf("%d, %s", row, ask))
			}
		}
	}
	if len(open) > 0 {
		fmt.Fprintf(&b, "\nAsked for, and kept by no test: %s.\n", strings.Join(open, "; "))
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
