package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// packed is a file of an archive.
type packed struct {
	name    string
	content []byte
	program bool // may be run
}

// mode returns the permissions of the file.
func (p *packed) mode() fs.FileMode {
	if p.program {
		return 0o755
	}
	return 0o644
}

// epoch is the time of every file of an archive, the first that zip can hold.
func epoch() time.Time { return time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC) }

// write writes an archive, in which all files lie in one folder, and returns
// its checksum.
func write(name, folder string, files []packed, pack func(io.Writer, string, []packed) error) (sum [sha256.Size]byte, err error) {
	slices.SortFunc(files, func(a, b packed) int { return cmp.Compare(a.name, b.name) })
	var b bytes.Buffer
	if err := pack(&b, folder, files); err != nil {
		return sum, err
	}
	return sha256.Sum256(b.Bytes()), os.WriteFile(name, b.Bytes(), 0o644)
}

// packTar writes a .tar.gz.
func packTar(out io.Writer, folder string, files []packed) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	for _, f := range files {
		err := w.WriteHeader(&tar.Header{
			Name: folder + "/" + f.name, Mode: int64(f.mode()), Size: int64(len(f.content)), ModTime: epoch(), Format: tar.FormatUSTAR,
		})
		if err != nil {
			return err
		}
		if _, err := w.Write(f.content); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), z.Close())
}

// packZip writes a .zip.
func packZip(out io.Writer, folder string, files []packed) error {
	w := zip.NewWriter(out)
	for _, f := range files {
		header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: epoch()}
		header.SetMode(f.mode())
		entry, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.content); err != nil {
			return err
		}
	}
	return w.Close()
}
