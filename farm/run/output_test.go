package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
)

var id = strings.Repeat("0a", 16)

func good(*Result, []byte) error { return nil }

// job returns a result with a file.
func job(index int, data []byte) (*Result, func(context.Context, *File) ([]byte, error)) {
	r := NewResult(&Manifest{}, Job{Index: index}, &Output{File: data}, 0)
	return r, func(context.Context, *File) ([]byte, error) { return data, nil }
}

// addAll opens a file and adds all jobs, as a command does that is given again.
func addAll(t *testing.T, name string, jobs []string) error {
	t.Helper()
	f, err := Gather(name, id)
	if err != nil {
		return err
	}
	defer f.Close()
	keep := f.Keep(good)
	for index, text := range jobs {
		r, get := job(index, []byte(text))
		if err := keep(t.Context(), r, get); err != nil {
			return err
		}
	}
	return nil
}

// content returns a file's content.
func content(t *testing.T, name string) string {
	t.Helper()
	text := testkit.Read(t, name)
	return string(text)
}

// TestKilled cuts file and journal off anywhere, as a kill or a power cut leaves them, and
// goes on: the file holds each job once, in order.
func TestKilled(t *testing.T) {
	jobs := []string{"one\n", "two two\n", "", "four\n"}
	whole := filepath.Join(t.TempDir(), "whole")
	testkit.Succeed(t, addAll(t, whole, jobs))
	text, journal := content(t, whole), content(t, whole+"."+id[:8]+".journal")
	if text != "one\ntwo two\nfour\n" {
		t.Fatalf("%q", text)
	}
	// The journal is ahead of the file by the job that is being added.
	lines := strings.SplitAfter(journal, "\n")
	cuts := 0
	for n := range len(jobs) {
		entered := len(strings.Join(lines[:n+1], ""))
		from, to := len(strings.Join(jobs[:n], "")), len(strings.Join(jobs[:n+1], ""))
		for end := from; end <= to; end++ {
			for _, torn := range []int{0, 3} {
				name := filepath.Join(t.TempDir(), "cut")
				if torn > 0 && end > from {
					continue // the entry is whole before the data begins
				}
				for file, data := range map[string]string{name: text[:end], name + "." + id[:8] + ".journal": journal[:entered-torn]} {
					testkit.Write(t, file, []byte(data))
				}
				if err := addAll(t, name, jobs); err != nil || content(t, name) != text {
					t.Errorf("job %d, cut at %d of %d to %d, torn %d: %v, %q", n, end, from, to, torn, err, content(t, name))
				}
				cuts++
			}
		}
	}
	t.Logf("%d cuts", cuts)
}

// TestOtherContent shows that a job which comes to something else, since a worker was
// banned, replaces what was added, and all behind it is added again.
func TestOtherContent(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	for _, jobs := range [][]string{{"a", "wrong", "c", "d"}, {"a", "right", "c", "d"}, {"a", "right", "c", "d", "e"}} {
		if err := addAll(t, name, jobs); err != nil || content(t, name) != strings.Join(jobs, "") {
			t.Errorf("%v: %v, %q", jobs, err, content(t, name))
		}
	}
}

func TestRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	f, err := Gather(name, id)
	testkit.Succeed(t, err)
	bad := errors.New("bad games")
	r, get := job(0, []byte("a"))
	if err := f.Keep(func(_ *Result, data []byte) error {
		if !bytes.Equal(data, []byte("a")) {
			t.Errorf("%q is checked", data)
		}
		return bad
	})(t.Context(), r, get); !IsRefused(err) || !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	if err := f.Keep(good)(t.Context(), &Result{}, get); !IsRefused(err) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Gather(name, id); err == nil {
		t.Error("two commands add to one file")
	}
	away := fmt.Errorf("away")
	if err := f.Keep(good)(t.Context(), r, func(context.Context, *File) ([]byte, error) { return nil, away }); !errors.Is(err, away) || IsRefused(err) {
		t.Errorf("%v", err)
	}
	if err := f.Close(); err != nil || content(t, name) != "" {
		t.Errorf("%v, %q", err, content(t, name))
	}
	testkit.Write(t, name+"."+id[:8]+".journal", bytes.Repeat([]byte("x"), lineSize))
	if _, err := Gather(name, id); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("%v", err)
	}
	other := filepath.Join(t.TempDir(), "other")
	testkit.Write(t, other, []byte("games"))
	if _, err := Gather(other, id); err == nil || content(t, other) != "games" {
		t.Errorf("another's file is taken: %v", err)
	}
}
