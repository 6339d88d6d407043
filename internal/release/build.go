package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/internal/exit"
)

// target is a system with a processor, by the names of Go. An amd64 build is for a
// level of x86-64: "v1" runs everywhere, "v3" needs AVX2 and BMI2.
type target struct{ system, processor, level string }

// targets returns all that are released.
func targets() []target {
	var all []target
	for _, system := range []string{"linux", "windows", "darwin", "android"} {
		all = append(all, target{system, "amd64", "v1"}, target{system, "arm64", ""})
		if system != "android" {
			all = append(all, target{system, "amd64", "v3"})
		}
	}
	return all
}

// name returns the target as in linux-amd64 and linux-amd64-v3.
func (t target) name() string {
	if t.level == "v3" {
		return t.system + "-" + t.processor + "-v3"
	}
	return t.system + "-" + t.processor
}

// choose returns the targets with the given names, all for none.
func choose(names []string) ([]target, error) {
	if len(names) == 0 {
		return targets(), nil
	}
	var chosen []target
	for _, name := range names {
		i := slices.IndexFunc(targets(), func(t target) bool { return t.name() == strings.ReplaceAll(name, "/", "-") })
		if i < 0 {
			return nil, exit.WrongUsef("unknown target %q", name)
		}
		chosen = append(chosen, targets()[i])
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
func (t target) build(ctx context.Context, commit string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, t.program())
	system := t.system
	if t.system == "android" && t.processor == "amd64" {
		system = "linux"
	}
	args := []string{"build", "-trimpath", "-o", name}
	if commit != "" {
		args = append(args, "-buildvcs=false", "-ldflags", "-X github.com/tabula-chess/tabula/internal/version.commit="+commit)
	}
	if _, err := run(ctx, []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + t.processor, "GOAMD64=" + cmp.Or(t.level, "v1")},
		"go", append(args, ".")...); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// run runs a command and returns what it prints. The error
// tells what it said.
func run(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &errors)
	}
	return out, nil
}
