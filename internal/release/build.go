package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/internal/command"
)

// target is a system with a processor, by the names of Go.
type target struct{ system, processor string }

// targets returns all that are released.
func targets() []target {
	var all []target
	for _, system := range []string{"linux", "windows", "darwin", "android"} {
		for _, processor := range []string{"amd64", "arm64"} {
			all = append(all, target{system, processor})
		}
	}
	return all
}

// choose returns the targets with the given names, all for none.
func choose(names []string) ([]target, error) {
	if len(names) == 0 {
		return targets(), nil
	}
	var chosen []target
	for _, name := range names {
		system, processor, _ := strings.Cut(name, "/")
		t := target{system, processor}
		if !slices.Contains(targets(), t) {
			return nil, command.WrongUsef("target %q: there is none of that name", name)
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}

// program returns the name of the binary.
func (t target) program() string {
	if t.system == "windows" {
		return "tabula.exe"
	}
	return "tabula"
}

// build returns the binary. The Go linker wants a C linker for Android on
// amd64; the static Linux binary runs there as it is.
func (t target) build(ctx context.Context, from source) ([]byte, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, t.program())
	system := t.system
	if t == (target{"android", "amd64"}) {
		system = "linux"
	}
	args := []string{"build", "-trimpath", "-o", name}
	if from.page {
		args = append(args, "-tags", "tabula_page")
	}
	if _, err := run(ctx, from.root, []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + t.processor, "GOAMD64=v1"},
		"go", append(args, ".")...); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// run runs a command in a directory and returns what it prints. The error
// tells what it said.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &errors)
	}
	return out, nil
}
