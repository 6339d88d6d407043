package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// OS returns the files of the operating system.
func OS() System { return system{} }

// system is the System of the operating system.
type system struct{}

// file is a File of the operating system.
type file struct{ *os.File }

func (f file) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f file) Lock() error           { return lock(f.File) }
func (f file) Locked() (bool, error) { return locked(f.File) }

// open opens a regular file.
func (system) open(name string, flag int) (File, error) {
	err := Check(name)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0) {
		return nil, err
	}
	f, err := os.OpenFile(name, flag|noWait, 0o666)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (s system) Open(name string) (File, error)   { return s.open(name, os.O_RDONLY) }
func (s system) Update(name string) (File, error) { return s.open(name, os.O_RDWR|os.O_CREATE) }

func (system) Create(name, like string) (File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(like); err == nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return nil, errors.Join(err, f.Close(), os.Remove(name))
		}
	}
	return file{f}, nil
}

// maxLinks is the number of links in a row that Target follows.
const maxLinks = 40

func (system) Target(name string) (string, error) {
	// Where a link leads to a device or a pipe, its text may be no name.
	if err := Check(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for range maxLinks {
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return name, nil
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			return name, nil
		}
		if name, err = follow(name); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: too many links", name)
}

// follow returns where one link leads. The directory is resolved as the system
// does it: ".." after a link to a directory is not the parent of the link.
func follow(name string) (string, error) {
	link, err := os.Readlink(name)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(link) {
		dir, _ := filepath.Split(name)
		link = dir + link
	}
	dir, base := filepath.Split(link)
	if dir == "" {
		dir = "."
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	return filepath.Join(dir, base), nil
}

func (system) Siblings(name string) ([]string, error) {
	dir, base := filepath.Split(name)
	entries, err := os.ReadDir(filepath.Dir(name))
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), base) {
			names = append(names, dir+e.Name())
		}
	}
	return names, err
}

func (system) Same(f File, name string) (bool, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	open, err := f.(file).Stat()
	return err == nil && os.SameFile(info, open), err
}

func (system) Rename(from, to string) error { return os.Rename(from, to) }
func (system) Remove(name string) error     { return os.Remove(name) }

func (system) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such call
	}
	d, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (system) Locks() bool { return hasLocks }
