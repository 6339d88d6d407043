package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Version is the version of the engine as users see it.
const Version = "0.1"

// features are the processor features worth telling, by the name users know.
var features = [...]struct {
	id   cpuid.FeatureID
	name string
}{
	{cpuid.POPCNT, "popcnt"}, {cpuid.BMI1, "bmi1"}, {cpuid.BMI2, "bmi2"}, {cpuid.AVX2, "avx2"},
	{cpuid.AVX512F, "avx512f"}, {cpuid.AVX512BW, "avx512bw"}, {cpuid.AVX512VNNI, "avx512vnni"},
	{cpuid.ASIMD, "neon"}, {cpuid.ASIMDDP, "dotprod"},
}

// versionText returns what --version prints.
func versionText(chosen paths) string {
	return fmt.Sprintf("Tabula %s\ncommit     %s\n%s\n", Version, commit(), buildText(chosen))
}

// buildText describes toolchain, system, processor, the paths chosen and the
// network.
func buildText(chosen paths) string {
	var have []string
	for _, f := range features {
		if cpuid.CPU.Supports(f.id) {
			have = append(have, f.name)
		}
	}
	if len(have) == 0 {
		have = append(have, "none of those looked for")
	}
	name := strings.TrimSpace(cpuid.CPU.BrandName)
	if name == "" {
		name = "unknown"
	}
	return fmt.Sprintf("built with %s for %s/%s\nprocessor  %s\nfeatures   %s\nattacks    %s\nevaluation %s\nnetwork    %v",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, name, strings.Join(have, " "), chosen.attacksText, chosen.kernelsText, nnue.Embedded().Hash())
}

// commit returns the revision the binary was built from, with a plus sign
// where the tree had changes, or "unknown" for a build outside a repository.
func commit() string {
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
	if revision == "" {
		return "unknown"
	}
	return revision[:min(12, len(revision))] + changed
}
