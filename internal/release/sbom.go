package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/tabula-chess/tabula/internal/version"
)

// materials returns what a binary was built from, in two forms: the text that
// "go version -m" prints, and a CycloneDX 1.6 document in JSON with a component for
// each linked module. Both hold nothing that differs between two builds of a commit.
func materials(t target, binary []byte) (text, bom []byte, err error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, nil, err
	}
	text = fmt.Appendf(nil, "%s: %s\n", t.program(), info.GoVersion)
	for line := range strings.Lines(info.String()) {
		if !strings.HasPrefix(line, "go\t") {
			text = append(text, "\t"+line...)
		}
	}

	doc := cyclonedx.NewBOM()
	doc.Metadata = &cyclonedx.Metadata{Component: module(cyclonedx.ComponentTypeApplication, info.Main.Path, "v"+version.Number)}
	components := []cyclonedx.Component{*module(cyclonedx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		for m.Replace != nil {
			m = m.Replace
		}
		components = append(components, *module(cyclonedx.ComponentTypeLibrary, m.Path, m.Version))
	}
	doc.Components = &components
	var b bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	if err := encoder.EncodeVersion(doc, cyclonedx.SpecVersion1_6); err != nil {
		return nil, nil, err
	}
	return text, b.Bytes(), nil
}

// module returns a Go module as a component, by its package URL.
func module(kind cyclonedx.ComponentType, path, version string) *cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return &cyclonedx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}
