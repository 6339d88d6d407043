package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/web"
)

// thirdParty returns the licences of all that a binary links: the modules that
// it names itself, and Go; and of the packages in its page.
func thirdParty(ctx context.Context, binary []byte) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, err
	}
	home, err := run(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("Tabula links the following, under the licences below.\n")
	if err := notice(&b, "Go "+info.GoVersion, strings.TrimSpace(string(home))); err != nil {
		return nil, err
	}
	slices.SortFunc(info.Deps, func(x, y *debug.Module) int { return cmp.Compare(x.Path, y.Path) })
	for _, m := range info.Deps {
		for m.Replace != nil {
			m = m.Replace
		}
		dir, err := run(ctx, nil, "go", "list", "-m", "-f", "{{.Dir}}", m.Path)
		if err != nil {
			return nil, err
		}
		if err := notice(&b, m.Path+" "+m.Version, strings.TrimSpace(string(dir))); err != nil {
			return nil, err
		}
	}
	b.WriteByte('\n')
	b.Write(web.Notices())
	return b.Bytes(), nil
}

// notice appends the licence files of a directory. One at least must be there.
func notice(b *bytes.Buffer, title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	found := false
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		if e.IsDir() || !slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, func(p string) bool {
			return strings.HasPrefix(upper, p)
		}) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(b, "\n%s\n%s: %s\n%[1]s\n\n%[4]s\n", strings.Repeat("=", 72), title, e.Name(), bytes.TrimSpace(text))
	}
	if !found {
		return fmt.Errorf("%s: no licence in %s", title, dir)
	}
	return nil
}
