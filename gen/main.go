// Command gen writes generated files of this module: tables, kernels (from gen/kernel), and the types of messages for
// the pages. go run ./gen/openings writes openings/zopenings.txt, and go run ./train wdl writes eval/wdl/zfitted.go.
//
// Usage, from the root of the module:
//
//	go run ./gen [directory]
//	go run ./gen page web/dist/page web/zpage.zip    packs a folder, a page that was built, into an archive
//
// Every emitter is a pure function that returns formatted bytes, the same on every
// machine. Tables and assembly are computed from geometry and from seeds in the source;
// the random numbers of Polyglot books, which its format prescribes, are read from
// polyglot.txt, and the types of messages from the Go sources that define them.
// outputs in files.go lists the tables and kernels, typesFiles in messages.go the types. The generator never imports
// what it generates, so that it builds when the generated files are broken or missing.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 3 && args[0] == "page":
		var data []byte
		if data, err = pack(os.DirFS(args[1])); err == nil {
			err = os.WriteFile(args[2], data, 0o644)
		}
	case len(args) < 2:
		err = run(cmp.Or(strings.Join(args, ""), "."))
	default:
		err = errors.New("want a directory, or page, a folder and the name of an archive")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run generates everything and writes it below root.
func run(root string) error {
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return fmt.Errorf("%s is not the root of the module: %w", root, err)
	}
	files, err := generate(root)
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(root, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
