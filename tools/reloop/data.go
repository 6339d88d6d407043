package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// maxGap is the number of zeros between two segments of data above which they stay two.
const maxGap = 1024

// maxMemory is more than a browser downloads: an address beyond it is no address of data.
const maxMemory = 1 << 30

// segment is the bytes that fill the memory from an address on.
type segment struct {
	at    int
	bytes []byte
}

func (s segment) end() int { return s.at + len(s.bytes) }

// mergeData returns a section of data in which the gaps of at most maxGap bytes between segments are filled with zeros,
// as the memory is. Go's linker writes a segment of its own behind every few zeros, and the heads of segments,
// which hold addresses, hardly pack.
func mergeData(section []byte) ([]byte, error) {
	all, err := segments(section)
	if err != nil {
		return nil, err
	}
	var merged []segment
	for _, s := range all {
		last := len(merged) - 1
		if last < 0 || s.at-merged[last].end() > maxGap {
			merged = append(merged, segment{s.at, slices.Clone(s.bytes)})
			continue
		}
		gap := s.at - merged[last].end()
		if gap < 0 {
			return nil, fmt.Errorf("the segments of data at addresses %d and %d overlap", merged[last].at, s.at)
		}
		merged[last].bytes = append(append(merged[last].bytes, make([]byte, gap)...), s.bytes...)
	}
	out := binary.AppendUvarint(nil, uint64(len(merged)))
	for _, s := range merged {
		out = append(signedNumber(append(out, 0, opI32Const), int64(s.at)), opEnd)
		out = append(binary.AppendUvarint(out, uint64(len(s.bytes))), s.bytes...)
	}
	return out, nil
}

// segments returns the segments of a section in the order of their addresses.
func segments(section []byte) ([]segment, error) {
	r := &reader{data: section}
	var all []segment
	for range r.count() {
		if r.unsigned() != 0 || r.byte() != opI32Const {
			return nil, errors.New("a segment of data without a constant address")
		}
		at := r.signed()
		r.byte() // the end of the address
		content := r.take(r.unsigned())
		if r.err != nil {
			return nil, r.err
		}
		if at < 0 || at > maxMemory {
			return nil, fmt.Errorf("a segment of data at address %d", at)
		}
		all = append(all, segment{int(at), content})
	}
	slices.SortStableFunc(all, func(a, b segment) int { return cmp.Compare(a.at, b.at) })
	return all, r.err
}

// signedNumber appends a signed LEB128 number.
func signedNumber(out []byte, v int64) []byte {
	for ; v < -64 || v >= 64; v >>= 7 {
		out = append(out, byte(v)|0x80)
	}
	return append(out, byte(v&0x7f))
}
