package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// memoryOf returns what a section of data fills from address 0 on, and the number of its segments.
func memoryOf(t *testing.T, section []byte) (memory string, segments int) {
	t.Helper()
	r := &reader{data: section}
	segments = r.count()
	var all []byte
	for range segments {
		r.unsigned()
		r.byte()
		at := int(r.signed())
		r.byte()
		content := r.take(r.unsigned())
		kit.Succeed(t, r.err)
		all = append(all, make([]byte, max(0, at+len(content)-len(all)))...)
		copy(all[at:], content)
	}
	if r.at != len(section) {
		t.Fatalf("%d of %d bytes are segments", r.at, len(section))
	}
	return string(all), segments
}

// TestMergeData merges random segments: the memory stays the same, and each gap that is left is a long one.
func TestMergeData(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var parts [][]byte
		at, long := 0, 1
		count := 1 + rng.IntN(9)
		for i := range count {
			gap := rng.IntN(2 * maxGap)
			at += gap
			if i > 0 && gap > maxGap {
				long++
			}
			content := strings.Repeat("x", 1+rng.IntN(200))
			part := append(signedNumber([]byte{0, opI32Const}, int64(at)), opEnd)
			parts = append(parts, append(binary.AppendUvarint(part, uint64(len(content))), content...))
			at += len(content)
		}
		rng.Shuffle(count, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		section := append(binary.AppendUvarint(nil, uint64(count)), bytes.Join(parts, nil)...)
		merged, err := mergeData(section)
		kit.Succeed(t, err)
		want, _ := memoryOf(t, section)
		if got, segments := memoryOf(t, merged); got != want || segments != long {
			t.Fatalf("%d segments, want %d; the same memory: %v", segments, long, got == want)
		}
	}
	for name, wrong := range map[string]string{
		"no segment":            "\x01",
		"a passive segment":     "\x01\x01\x01a",
		"a negative address":    "\x01\x00A\x7f\x0b\x01a",
		"content cut short":     "\x01\x00A\x00\x0b\x05a",
		"segments that overlap": "\x02\x00A\x05\x0b\x01a\x00A\x04\x0b\x02aa",
	} {
		if merged, err := mergeData([]byte(wrong)); err == nil {
			t.Errorf("%s: %q", name, merged)
		}
	}
}
