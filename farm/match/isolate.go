package match

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// Isolated says how an engine is run apart from the worker.
type Isolated struct {
	Command []string // the program with its arguments, perhaps behind one that takes the network away
	Dir     string   // of its own
	Env     []string
}

// Remove removes the engine's folder, once it has ended.
func (i *Isolated) Remove() { _ = os.RemoveAll(i.Dir) }

// Isolate returns how a program is run: in a folder of its own, with an environment in
// which nothing of the worker is, and without a network where [NoNetwork].
func (s *Cache) Isolate(program string, args ...string) (*Isolated, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(s.dir, "engine-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	i := &Isolated{Dir: dir, Command: append([]string{path}, args...), Env: []string{"HOME=" + dir, "TMPDIR=" + dir, "TEMP=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin"}}
	if root := os.Getenv("SYSTEMROOT"); root != "" { // Windows starts nothing without
		i.Env = append(i.Env, "SYSTEMROOT="+root)
	}
	if NoNetwork() {
		i.Command = append(withoutNetwork(), i.Command...)
	}
	return i, nil
}

// withoutNetwork returns the program that runs another in user and network namespaces of
// its own.
func withoutNetwork() []string { return []string{"unshare", "--map-root-user", "--net", "--"} }

// NoNetwork reports whether engines run without a network: on Linux, if unshare is there
// and the system lets it make namespaces.
var NoNetwork = sync.OnceValue(func() bool {
	if runtime.GOOS != "linux" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	args := append(withoutNetwork(), "true")
	return exec.CommandContext(ctx, args[0], args[1:]...).Run() == nil
})
