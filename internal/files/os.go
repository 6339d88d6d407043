package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
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

func (f file) Locked() (bool, error) { return locked(f.File) }

func (system) Open(name string) (RegularFile, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (system) Update(name string) (RegularFile, error) {
	if err := check(name, os.Lstat); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|noFollow, 0o666)
	if errors.Is(err, syscall.EBUSY) { // in a browser another tab has it
		return nil, fmt.Errorf("%s: %w", name, ErrInUse)
	}
	if err != nil {
		return nil, err
	}
	if err = lock(f); err == nil {
		err = sameFile(f, name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file{f}, nil
}

// sameFile returns ErrInUse where the name has become another file's or nobody's since f was opened.
func sameFile(f *os.File, name string) error {
	now, err := os.Lstat(name)
	if err == nil {
		var info fs.FileInfo
		if info, err = f.Stat(); err != nil || os.SameFile(now, info) {
			return err
		}
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, ErrInUse)
	}
	return err
}

func (s system) Target(name string) (string, error) {
	if err := Check(name); errors.Is(err, fs.ErrNotExist) {
		link, err := os.Readlink(name)
		switch {
		case err != nil:
			return name, nil
		case filepath.IsAbs(link):
			return s.Target(link)
		}
		return s.Target(filepath.Join(filepath.Dir(name), link))
	} else if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name)
}

func (system) Place(f RegularFile, name string) error {
	if info, err := os.Stat(name); err == nil {
		if err := f.(file).Chmod(info.Mode().Perm()); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if runtime.GOOS == "windows" { // it renames no open file
		if err := f.Close(); err != nil {
			return err
		}
		return os.Rename(f.Name(), name)
	}
	// While it is locked nobody else takes the file for one that a kill has left behind.
	return errors.Join(os.Rename(f.Name(), name), f.Close())
}

func (system) Remove(name string) error { return os.Remove(name) }

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
