// Package version tells which version of the engine and its tools this is, and what it was built
// from and for.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Number is the version of the engine and its tools as users see it; before a release it is the next one with "-dev".
const Number = "0.1.0-dev"

// features returns those processor features worth telling that this machine
// has, by the names users know.
func features() string {
	var have []string
	for _, f := range []struct {
		id   cpuid.FeatureID
		name string
	}{
		{cpuid.POPCNT, "popcnt"}, {cpuid.BMI1, "bmi1"}, {cpuid.BMI2, "bmi2"}, {cpuid.AVX2, "avx2"},
		{cpuid.AVX512F, "avx512f"}, {cpuid.AVX512BW, "avx512bw"}, {cpuid.AVX512VNNI, "avx512vnni"},
		{cpuid.ASIMD, "neon"}, {cpuid.ASIMDDP, "dotprod"},
	} {
		if cpuid.CPU.Supports(f.id) {
			have = append(have, f.name)
		}
	}
	if len(have) == 0 {
		return "none of those looked for"
	}
	return strings.Join(have, " ")
}

// Build describes toolchain, system and processor in three lines without a
// line feed at the end.
func Build() string {
	name := strings.TrimSpace(cpuid.CPU.BrandName)
	if name == "" {
		name = "unknown"
	}
	return fmt.Sprintf("built with %s for %s/%s\nprocessor  %s\nfeatures   %s",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, name, features())
}

// commit is what a release build stamps with -ldflags -X, so that it is known even where
// the builder cannot see the repository. Commit reads it.
var commit string

// Commit returns the revision the binary was built from, with a plus sign
// where the tree had changes; the module's version where "go install" fetched it;
// or "unknown" for a build outside a repository.
func Commit() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if revision == "" && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	if revision == "" {
		return "unknown"
	}
	return revision[:min(12, len(revision))] + changed
}

// Text returns what --version prints of a program: name, commit and Build.
func Text(name string) string {
	return fmt.Sprintf("%s %s\ncommit     %s\n%s\n", name, Number, Commit(), Build())
}
