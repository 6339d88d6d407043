package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOptionsAreUpToDate compares the table in docs/uci.md with the options.
func TestOptionsAreUpToDate(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	want, err := options(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(want.path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.text, string(got)); diff != "" {
		t.Errorf("%s is not up to date, run go generate ./conformance (-want +got):\n%s", want.path, diff)
	}
}

// TestEveryRowHasATest names the rows without a test.
func TestEveryRowHasATest(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	promises, err := collect(root)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[int]string{}
	for _, p := range promises {
		kept[p.row] = p.test
	}
	for row := 1; row <= rowCount(); row++ {
		if kept[row] == "" {
			t.Errorf("row %d has no test", row)
		}
	}
}

func TestPromisesAreRead(t *testing.T) {
	for _, tt := range []struct {
		line string
		row  string
	}{
		{"//conformance:38 no allocation", "38"},
		{"// conformance:38 no allocation", ""},
		{"//conformance:38", ""},
	} {
		row := ""
		if m := directiveRow.FindStringSubmatch(tt.line); m != nil {
			row = m[1]
		}
		if row != tt.row {
			t.Errorf("%q names row %q, want %q", tt.line, row, tt.row)
		}
	}
	if _, err := newPromise("99", "x", "y", "z"); err == nil {
		t.Error("row 99 is accepted")
	}
}

func TestBetween(t *testing.T) {
	got, err := between("a\n<o>\nold\n<e>\nb\n", "<o>", "<e>", "new\n")
	if want := "a\n<o>\nnew\n<e>\nb\n"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, text := range []string{"", "<o>\n", "<e>\n<o>\n"} {
		if _, err := between(text, "<o>", "<e>", ""); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
