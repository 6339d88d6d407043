package movegen

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// TestNeeds compares the instruction sets asked of a processor with those that
// the generator noted on the kernels.
func TestNeeds(t *testing.T) {
	for path, files := range map[Path][]string{
		Pext: {"zpext_amd64.s"}, AVX2: {"perft/zavx2_amd64.s"}, AVX512: {"zavx512_amd64.s", "perft/zavx512_amd64.s"},
	} {
		var text, want, got []string
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, string(data))
		}
		for _, m := range regexp.MustCompile(`(?m)^// Requires: (.*)$`).FindAllStringSubmatch(strings.Join(text, "\n"), -1) {
			for _, set := range strings.Split(m[1], ", ") {
				if set == "BMI" {
					set = "BMI1"
				}
				want = append(want, set)
			}
		}
		got = append(got, paths.Needs[path]...)
		slices.Sort(want)
		slices.Sort(got)
		if want = slices.Compact(want); !slices.Equal(got, want) {
			t.Errorf("%v asks for %v, its kernels use %v", path, got, want)
		}
	}
}

func TestSlowPext(t *testing.T) {
	for _, c := range []struct {
		vendor cpuid.Vendor
		family int
		want   bool
	}{
		{cpuid.AMD, 0x15, true}, {cpuid.AMD, 0x17, true}, {cpuid.AMD, 0x19, false}, {cpuid.AMD, 0x1a, false},
		{cpuid.Hygon, 0x18, true}, {cpuid.Intel, 6, false},
	} {
		if got := slowPext(c.vendor, c.family); got != c.want {
			t.Errorf("slowPext(%v, %#x) = %v, want %v", c.vendor, c.family, got, c.want)
		}
	}
}
