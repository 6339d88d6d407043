// Package build makes engines of commits of this repository on any machine with
// Go: the source travels as git archives it, is unpacked below a directory, built
// and kept there under the hash of the source, and runs its bench to prove that
// it is what was meant.
//
// Engines of others run with a clean environment, in a folder of their own, and, on Linux
// where the system allows it, without a network: see [Isolate]. No engine is built while
// games are played by the clock: see [Cache.Quiet].
package match

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// Archive returns the source of a commit of the git repository in dir, as a
// zip archive, with the commit's full name. Errors: git is missing,
// dir is no repository, or it has no such commit.
func Archive(ctx context.Context, dir, commit string) (source []byte, name string, err error) {
	if strings.HasPrefix(commit, "-") {
		return nil, "", fmt.Errorf("commit %q: want the name of a commit", commit)
	}
	out, err := command(ctx, dir, os.Environ(), "git", "rev-parse", "--verify", "--quiet", commit+"^{commit}")
	if err != nil {
		return nil, "", fmt.Errorf("commit %q: this repository has none of that name: %w", commit, err)
	}
	name = strings.TrimSpace(string(out))
	// The archive tells local times, and its hash is part of the run.
	source, err = command(ctx, dir, append(os.Environ(), "TZ=UTC"), "git", "archive", "--format=zip", name)
	if err != nil {
		return nil, "", fmt.Errorf("commit %q: %w", commit, err)
	}
	return source, name, nil
}

// command runs a program in a folder and returns its standard output.
func command(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir, c.Env = dir, env
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil && stderr.Len() > 0 {
		err = fmt.Errorf("%s: %w: %s", strings.Join(args[:min(2, len(args))], " "), err, last(stderr.String()))
	}
	return out, err
}

// buildEnv returns the environment of a build: what the Go tools need of this process's.
func buildEnv() []string {
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOTOOLCHAIN", "SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA", "TEMP"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// last returns the end of what a program complained.
func last(text string) string {
	text = strings.TrimSpace(text)
	return text[max(0, len(text)-500):]
}

// Cache keeps the engines that were built below a directory. It is safe for
// concurrent use, also by several processes.
type Cache struct {
	dir   string
	quiet sync.RWMutex // held for writing while something is built

	mu    sync.Mutex
	built map[string]*engine
}

// engine is one that is built once.
type engine struct {
	mu    sync.Mutex
	path  string
	nodes uint64 // of its bench, 0 where it has not run
}

// NewCache returns the cache below dir, which is made when it is needed.
func NewCache(dir string) *Cache { return &Cache{dir: dir, built: map[string]*engine{}} }

// Quiet waits until nothing is built, and keeps it so until done is called: for games by
// the clock.
func (s *Cache) Quiet() (done func()) {
	s.quiet.RLock()
	return s.quiet.RUnlock
}

// Engine returns the path of the engine built from source, an archive of
// [Archive], and the number of nodes of its bench. Errors: the archive is
// damaged, it does not build, its bench fails; ctx's.
func (s *Cache) Engine(ctx context.Context, source []byte) (path string, bench uint64, err error) {
	hash := sha256.Sum256(source)
	name := hex.EncodeToString(hash[:])
	s.mu.Lock()
	e := s.built[name]
	if e == nil {
		e = new(engine)
		s.built[name] = e
	}
	s.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.path == "" {
		if e.path, err = s.make(ctx, name, source); err != nil {
			return "", 0, err
		}
	}
	if e.nodes == 0 {
		if e.nodes, err = s.bench(ctx, e.path); err != nil {
			return "", 0, err
		}
	}
	return e.path, e.nodes, nil
}

// make builds the engine, where it is not there.
func (s *Cache) make(ctx context.Context, name string, source []byte) (path string, err error) {
	file := "tabula"
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	dir, err := filepath.Abs(filepath.Join(s.dir, name))
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, file)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", err
	}
	s.quiet.Lock()
	defer s.quiet.Unlock()
	work, err := os.MkdirTemp(s.dir, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	tree := filepath.Join(work, "source")
	if err := unpack(tree, source); err != nil {
		return "", fmt.Errorf("source %.12s: %w", name, err)
	}
	done := filepath.Join(work, "done")
	if err := os.Mkdir(done, 0o700); err != nil {
		return "", err
	}
	if _, err := command(ctx, tree, buildEnv(), "go", "build", "-trimpath", "-o", filepath.Join(work, "done", file), "."); err != nil {
		return "", fmt.Errorf("source %.12s: %w", name, err)
	}
	// Whoever renames first has built it; the others take that.
	if err := os.Rename(done, dir); err != nil {
		if _, missing := os.Stat(path); missing != nil {
			return "", err
		}
	}
	return path, nil
}

// unpack writes the files of an archive below dir.
func unpack(dir string, source []byte) error {
	z, err := zip.NewReader(bytes.NewReader(source), int64(len(source)))
	if err != nil {
		return err
	}
	return os.CopyFS(dir, z) // which leads nowhere else
}

// benchLine is how the output of a bench ends, as OpenBench reads it.
var benchLine = regexp.MustCompile(`(\d+) nodes \d+ nps\s*$`)

// bench returns the number of nodes that an engine's bench visits.
func (s *Cache) bench(ctx context.Context, path string) (uint64, error) {
	i, err := s.Isolate(path)
	if err != nil {
		return 0, err
	}
	defer i.Remove()
	out, err := command(ctx, i.Dir, i.Env, append(i.Command, "bench")...)
	if err != nil {
		return 0, fmt.Errorf("bench: %w", err)
	}
	m := benchLine.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("bench of %s: its last line is not nodes and nps", filepath.Base(path))
	}
	return strconv.ParseUint(string(m[1]), 10, 64)
}
