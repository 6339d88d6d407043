package race

import (
	"strings"
	"testing"
)

func TestPrintMarkdown(t *testing.T) {
	var out strings.Builder
	if err := printMarkdown(&out, [][]string{{"row", "×"}, {"a", "1.00×"}}); err != nil {
		t.Fatal(err)
	}
	if want := "| row |     × |\n|-----|------:|\n| a   | 1.00× |\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
