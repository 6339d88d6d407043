package match

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/uci/client"
)

// Engines of commits are built on any machine with Go: the source travels as git archives it, is unpacked, built and
// kept below a directory, and runs its bench to prove that it is what was meant.

// Archive returns the source of a commit of the git repository in dir, as a zip archive, with the commit's full name.
// Errors: git is missing, dir is no repository, or it has no such commit.
func Archive(ctx context.Context, dir, commit string) (source []byte, name string, err error) {
	if strings.HasPrefix(commit, "-") {
		return nil, "", fmt.Errorf("commit %q: want the name of a commit", commit)
	}
	// The archive tells local times, and its hash is part of the run.
	source, err = output(ctx, dir, append(os.Environ(), "TZ=UTC"), "git", "archive", "--format=zip", commit)
	if err == nil {
		var z *zip.Reader
		if z, err = zip.NewReader(bytes.NewReader(source), int64(len(source))); err == nil && len(z.Comment) < 40 {
			err = errors.New("is a folder")
		} else if err == nil {
			name = z.Comment // where git says what it is
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("commit %q: %w", commit, err)
	}
	return source, name, nil
}

func output(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir, c.Env = dir, env
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && stderr.Len() > 0 {
		text := strings.TrimSpace(stderr.String())
		err = fmt.Errorf("%s: %w: %s", strings.Join(args[:min(2, len(args))], " "), err, text[max(0, len(text)-500):])
	}
	return out, err
}

// Engines keeps the engines that were built below a directory, with the nodes of their bench in their names. It is
// safe for concurrent use, also by several processes.
type Engines struct {
	Dir string     // absolute: engines run in other folders; "" for none
	mu  sync.Mutex // held while an engine is built
}

// Get returns the path of the engine of a commit, and the number of nodes of its bench. Where the engine is not there
// yet it is built from the source, which [Archive] has made. Errors: the archive is damaged, it does not build, its
// bench fails; ctx's.
func (s *Engines) Get(
	ctx context.Context, commit string, source func() ([]byte, error),
) (path string, bench uint64, err error) {
	if s.Dir == "" {
		return "", 0, errors.New("there is no folder for engines: this user has no cache directory")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all, _ := os.ReadDir(s.Dir) // none where there is no directory
	for _, e := range all {
		if n, _ := fmt.Sscanf(e.Name(), commit+"-%d.exe", &bench); n == 1 {
			path = filepath.Join(s.Dir, e.Name())
			return path, bench, os.Chtimes(path, time.Now(), time.Now())
		}
	}
	s.clean(all)
	text, err := source()
	if err = errors.Join(err, os.MkdirAll(s.Dir, 0o700)); err != nil {
		return "", 0, err
	}
	work, err := os.MkdirTemp(s.Dir, "build-")
	if err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(work)
	tree, built := filepath.Join(work, "source"), filepath.Join(work, "engine.exe") // Windows wants the ending
	if err = unpack(tree, text); err == nil {
		env := append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
		_, err = output(ctx, tree, env, "go", "build", "-trimpath", "-o", built, ".")
	}
	if err == nil {
		bench, err = s.bench(ctx, built)
	}
	path = filepath.Join(s.Dir, fmt.Sprintf("%s-%d.exe", commit, bench))
	if err == nil {
		err = place(built, path)
	}
	if err != nil {
		return "", 0, fmt.Errorf("commit %.10s: %w", commit, err)
	}
	return path, bench, nil
}

// place renames a file once its content is on disk: a power cut leaves no half of it under its name.
func place(from, to string) error {
	f, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close(), os.Rename(from, to)); err != nil {
		return err
	}
	return files.OS().SyncDir(to)
}

// clean removes engines that were not used for a month, and folders that a killed process has left: of builds after a
// day, of programs, which may live as long as a run, after a month.
func (s *Engines) clean(all []os.DirEntry) {
	for _, e := range all {
		keep := 30 * 24 * time.Hour
		if strings.HasPrefix(e.Name(), "build-") {
			keep = 24 * time.Hour
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keep {
			_ = os.RemoveAll(filepath.Join(s.Dir, e.Name()))
		}
	}
}

func unpack(dir string, source []byte) error {
	z, err := zip.NewReader(bytes.NewReader(source), int64(len(source)))
	if err != nil {
		return err
	}
	return os.CopyFS(dir, z) // which leads nowhere else
}

// benchLine is how the output of a bench ends, as OpenBench reads it.
var benchLine = regexp.MustCompile(`(\d+) nodes \d+ nps\s*$`)

func (s *Engines) bench(ctx context.Context, path string) (uint64, error) {
	c, err := s.Isolate(path)
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(c.Dir)
	out, err := output(ctx, c.Dir, c.Env, append([]string{c.Path}, append(c.Args, "bench")...)...)
	if err != nil {
		return 0, fmt.Errorf("bench: %w", err)
	}
	m := benchLine.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("bench of %s: its last line is not nodes and nps", filepath.Base(path))
	}
	return strconv.ParseUint(string(m[1]), 10, 64)
}

// Isolate returns how a program is run: in a folder of its own, which the caller removes once it has ended, with an
// environment in which nothing of this process is, and without a network where [NoNetwork].
func (s *Engines) Isolate(program string, args ...string) (c client.Launch, err error) {
	path, err := client.Find(program)
	if err == nil {
		path, err = exec.LookPath(path) // also one that Find does not look for
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err = errors.Join(err, os.MkdirAll(s.Dir, 0o700)); err != nil {
		return c, err
	}
	dir, err := os.MkdirTemp(s.Dir, "engine-")
	if err != nil {
		return c, err
	}
	all := append([]string{path}, args...)
	if NoNetwork() {
		all = append(withoutNetwork(), all...)
	}
	env := []string{"HOME=" + dir, "TMPDIR=" + dir, "TEMP=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin"}
	if root := os.Getenv("SYSTEMROOT"); root != "" { // Windows starts nothing without
		env = append(env, "SYSTEMROOT="+root)
	}
	return client.Launch{Path: all[0], Args: all[1:], Dir: dir, Env: env, Timeout: time.Minute}, nil
}

// withoutNetwork returns the program that runs another in user and network namespaces of its own.
func withoutNetwork() []string { return []string{"unshare", "--map-root-user", "--net", "--"} }

// NoNetwork reports whether isolated programs run without a network: on Linux, if unshare is there and the system lets
// it make namespaces.
func NoNetwork() bool { return noNetwork() }

var noNetwork = sync.OnceValue(func() bool {
	if runtime.GOOS != "linux" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	args := append(withoutNetwork(), "true")
	return exec.CommandContext(ctx, args[0], args[1:]...).Run() == nil
})
