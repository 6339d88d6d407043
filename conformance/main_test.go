package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/tool"
)

func TestExitCodes(t *testing.T) {
	nowhere := t.TempDir() // no module: nothing is written
	for _, tt := range []struct {
		args        string
		code        int
		out, errOut string
	}{
		{"", exit.Failed, "", "conformance: no go.mod in this directory or above it\n"},
		{"--help", exit.Done, exit.Help, ""},
		{"--version", exit.Done, "Tabula conformance ", ""},
		{"more", exit.Usage, "", `unexpected argument "more"`},
		{"--nonsense", exit.Usage, "", "see conformance --help\n"},
	} {
		t.Chdir(nowhere)
		var out, errOut bytes.Buffer
		code := tool.Run(context.Background(), newCommand(&out, &errOut), append([]string{"conformance"}, strings.Fields(tt.args)...))
		if code != tt.code || !strings.Contains(out.String(), tt.out) || !strings.Contains(errOut.String(), tt.errOut) {
			t.Errorf("%q: code %d, %q, %q; want %d, %q, %q", tt.args, code, &out, &errOut, tt.code, tt.out, tt.errOut)
		}
	}
}
