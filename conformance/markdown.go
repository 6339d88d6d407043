package main

import (
	"fmt"
	"strings"
)

const intro = `# What Tabula promises, and the tests that check it

In bold: what users of chess engines and libraries ask for in public issue trackers. Below each: the promises and the
test of each. Run one with go test ./FOLDER -run NAME. TestScripts plays the UCI sessions in conformance/testdata/script
with the built binary and checks every answer as a game runner would. Late answers fail only under make clocks.
`

// markdown returns the list of promises.
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
