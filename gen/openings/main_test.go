package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestCommitted makes the table anew and compares it with the one of the module.
func TestCommitted(t *testing.T) {
	want, err := table()
	kit.Succeed(t, err)
	got, err := os.ReadFile("../../openings/zopenings.txt")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("openings/zopenings.txt differs from what is generated (%v); run go generate", err)
	}
}

func TestParseRefused(t *testing.T) {
	for line, want := range map[string]string{
		"C20\tKing's Pawn Game":            "want a code",
		"C20\t\t1. e4 e5":                  "want a code",
		"C2\tKing's Pawn Game\t1. e4 e5":   "want a code",
		"C20\tKing's Pawn Game\t1. e4 e5?": "",
		"C20\tKing's Pawn Game\t1. e4 e4":  "illegal",
	} {
		_, err := parse(line)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", line, err, want)
		}
	}
}
