package test

import (
	"os"
	"regexp"
	"testing"
)

// answers measures the time from a line to its answer in a running engine,
// sending first before each.
func answers(b *testing.B, first, line, answer string) {
	e, err := startEngine(b.TempDir(), os.Environ(), binary)
	if err != nil {
		b.Fatal(err)
	}
	defer e.kill()
	re, info := regexp.MustCompile(answer), regexp.MustCompile("^info depth")
	for b.Loop() {
		if first != "" {
			b.StopTimer()
			if err := e.send(first); err != nil {
				b.Fatal(err)
			}
			if _, err := e.expect(info, patience); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		if err := e.send(line); err != nil {
			b.Fatal(err)
		}
		if _, err := e.expect(re, patience); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStop measures how long stop takes to be answered by bestmove.
func BenchmarkStop(b *testing.B) { answers(b, "go infinite", "stop", "^bestmove") }

// BenchmarkReady measures isready in an idle engine.
func BenchmarkReady(b *testing.B) { answers(b, "", "isready", "^readyok$") }

// BenchmarkReadyInSearch measures isready while a search runs.
func BenchmarkReadyInSearch(b *testing.B) {
	e, err := startEngine(b.TempDir(), os.Environ(), binary)
	if err != nil {
		b.Fatal(err)
	}
	defer e.kill()
	if err := e.send("go infinite"); err != nil {
		b.Fatal(err)
	}
	ready := regexp.MustCompile("^readyok$")
	for b.Loop() {
		if err := e.send("isready"); err != nil {
			b.Fatal(err)
		}
		if _, err := e.expect(ready, patience); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart measures the time from the start of the program to uciok.
func BenchmarkStart(b *testing.B) {
	ok := regexp.MustCompile("^uciok$")
	for b.Loop() {
		e, err := startEngine(b.TempDir(), os.Environ(), binary)
		if err != nil {
			b.Fatal(err)
		}
		if err := e.send("uci"); err != nil {
			b.Fatal(err)
		}
		if _, err := e.expect(ok, patience); err != nil {
			b.Fatal(err)
		}
		e.kill()
	}
}
