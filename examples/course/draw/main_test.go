package main

import (
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestPictures compares the committed pictures with those that the generators draw.
func TestPictures(t *testing.T) {
	for name, want := range pictures() {
		if got := kit.Read(t, filepath.Join("../../../docs/course/img", name)); string(got) != want {
			t.Errorf("docs/course/img/%s differs: run go generate ./examples/course", name)
		}
		d := xml.NewDecoder(strings.NewReader(want))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
