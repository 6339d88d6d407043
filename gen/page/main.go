// Command page packs the files of a folder, a page that was built for the program, into a zip archive:
//
//	go run ./gen/page web/dist/page web/zpage.zip
//
// The same files give the same bytes with every release of Go: the compressor is one that go.mod names, and the
// archive holds no times, owners or modes.
package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/flate"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "page: want a folder and the name of an archive")
		os.Exit(2)
	}
	data, err := pack(os.DirFS(os.Args[1]))
	if err == nil {
		err = os.WriteFile(os.Args[2], data, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: %.1f KB\n", os.Args[2], float64(len(data))/1e3)
}

// pack returns a zip archive of all files, in the order of their names.
func pack(files fs.FS) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
