package journal

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/tabula-chess/tabula/internal/files"
)

// RecordFile is a locked file that grows by whole records. [Journal] uses it; other formats use it directly.
type RecordFile struct {
	file   files.RegularFile
	sys    files.System
	end    int64
	broken error // why nothing more can be added
}

// OpenFile opens the file with the given name, or makes it, and locks it until it is closed.
// Symbolic links are followed. Errors: [files.ErrNotRegular], [files.ErrInUse].
func OpenFile(name string) (*RecordFile, error) { return openFile(files.OS(), name) }

func openFile(sys files.System, name string) (*RecordFile, error) {
	target, err := sys.Target(name)
	if err != nil {
		return nil, err
	}
	file, err := sys.Update(target)
	if err != nil {
		return nil, err
	}
	f := &RecordFile{file: file, sys: sys}
	if err = sys.SyncDir(target); err == nil {
		f.end, err = file.Size()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// Size returns the length of the file in bytes, without a piece that was not finished.
func (f *RecordFile) Size() int64 { return f.end }

// Cut shortens the file to size bytes.
func (f *RecordFile) Cut(size int64) error {
	f.end = size
	return errors.Join(f.file.Truncate(size), f.file.Sync())
}

// Append adds a record. It survives a power cut if Append returns nil. After an error a part of it may
// be in the file, and nothing more can be added.
func (f *RecordFile) Append(piece []byte) error {
	if f.broken != nil {
		return f.broken
	}
	_, err := f.file.WriteAt(piece, f.end)
	if err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		f.broken = fmt.Errorf("%s: %w", f.Name(), errors.Join(err, f.file.Truncate(f.end)))
		return f.broken
	}
	f.end += int64(len(piece))
	return nil
}

// ReadAt reads from the file.
func (f *RecordFile) ReadAt(b []byte, offset int64) (int, error) { return f.file.ReadAt(b, offset) }

// Name returns the name of the file, links followed.
func (f *RecordFile) Name() string { return f.file.Name() }

// Close closes the file.
func (f *RecordFile) Close() error { return f.file.Close() }

// Remove closes the file and removes it.
func (f *RecordFile) Remove() error {
	err := f.sys.Remove(f.Name()) // while nobody else can have opened it
	closed := f.Close()
	if err != nil { // Windows removes no open file
		err = f.sys.Remove(f.Name())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, closed, f.sys.SyncDir(f.Name()))
}
