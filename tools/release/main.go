// Command release makes the files of a release that .goreleaser.yaml cannot: the licences of all that the engine links
// on any system and of the packages in its page, and the README with links that lead out of an archive.
//
//	go run ./tools/release bin/release        part of make release
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/web"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "release: want a folder to write to")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run writes the files to a folder.
func run(dir string) error {
	notices, err := thirdParty()
	if err != nil {
		return err
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"THIRD-PARTY-NOTICES.txt": notices,
		"README.md":               absolute(readme, []string{"README.md", "LICENSE", "THIRD-PARTY-NOTICES.txt"}),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// thirdParty returns the licences of Go, of the modules that the engine links on any system, and of the packages in
// its page.
func thirdParty() ([]byte, error) {
	home, err := goCommand("", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, err := goCommand("", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	modules := map[string]string{} // folders by path and version
	for _, system := range []string{"linux", "windows", "darwin", "android"} {
		list, err := goCommand(system, "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", ".")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			if title, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				modules[title] = dir
			}
		}
	}
	var b bytes.Buffer
	b.WriteString("Tabula links the following, under the licences below.\n")
	if err := notice(&b, "Go "+version, home); err != nil {
		return nil, err
	}
	titles := make([]string, 0, len(modules))
	for title := range modules {
		titles = append(titles, title)
	}
	slices.Sort(titles)
	for _, title := range titles {
		if err := notice(&b, title, modules[title]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('\n')
	b.Write(web.Notices())
	return b.Bytes(), nil
}

// goCommand runs the go command for a system, "" for this one, and returns what it prints.
func goCommand(system string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if system != "" {
		cmd.Env = append(cmd.Env, "GOOS="+system, "GOARCH=arm64")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
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
		if e.IsDir() || !slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"},
			func(p string) bool {
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
