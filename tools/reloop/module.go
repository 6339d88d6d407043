package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Sections of a module, by their numbers.
const (
	sectionCustom   = 0
	sectionImport   = 2
	sectionFunction = 3
	sectionCode     = 10
	sectionData     = 11
)

const header = "\x00asm\x01\x00\x00\x00"

// module is a WebAssembly module, of which the functions can be changed.
type module struct {
	sections []section
	imported int            // functions, which have the first indices
	types    []uint64       // of the other functions
	code     [][]byte       // of them: locals and instructions
	names    map[int]string // by index
}

type section struct {
	id   byte
	data []byte // nil for functions and code, which the module holds
}

// reader reads numbers and bytes. After an error it returns zeros.
type reader struct {
	data []byte
	at   int
	err  error
}

func (r *reader) fail() {
	r.err = fmt.Errorf("the module is cut short or not WebAssembly at byte %d", r.at)
	r.at = len(r.data)
}

func (r *reader) byte() byte {
	if r.at >= len(r.data) {
		r.fail()
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

// unsigned reads an unsigned LEB128 number.
func (r *reader) unsigned() uint64 {
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 {
		r.fail()
		return 0
	}
	r.at += n
	return v
}

// signed reads a signed LEB128 number.
func (r *reader) signed() (v int64) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

// take reads n bytes.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.data)-r.at) {
		r.fail()
		return nil
	}
	r.at += int(n)
	return r.data[r.at-int(n) : r.at]
}

// count reads the length of a list whose items take at least a byte each.
func (r *reader) count() int {
	n := r.unsigned()
	if n > uint64(len(r.data)-r.at) {
		r.fail()
		return 0
	}
	return int(n)
}

// readModule reads a module. Names that Go leaves for debuggers go, and the data come in few segments.
func readModule(data []byte) (*module, error) {
	if !bytes.HasPrefix(data, []byte(header)) {
		return nil, errors.New("not a WebAssembly module")
	}
	m := &module{names: map[int]string{}}
	r := &reader{data: data, at: len(header)}
	for r.err == nil && r.at < len(data) {
		id := r.byte()
		content := r.take(r.unsigned())
		in := &reader{data: content}
		switch id {
		case sectionImport:
			m.readImports(in)
		case sectionFunction:
			for range in.count() {
				m.types = append(m.types, in.unsigned())
			}
			content = nil
		case sectionCode:
			for range in.count() {
				m.code = append(m.code, in.take(in.unsigned()))
			}
			content = nil
		case sectionData:
			if content, in.err = mergeData(content); in.err != nil {
				return nil, fmt.Errorf("data: %w", in.err)
			}
		case sectionCustom:
			if string(in.take(in.unsigned())) == "name" {
				m.readNames(in)
				continue
			}
		}
		if in.err != nil {
			return nil, fmt.Errorf("section %d: %w", id, in.err)
		}
		m.sections = append(m.sections, section{id, content})
	}
	if r.err == nil && len(m.types) != len(m.code) {
		return nil, fmt.Errorf("%d functions with %d bodies", len(m.types), len(m.code))
	}
	return m, r.err
}

// readImports counts imported functions. Go imports nothing else.
func (m *module) readImports(r *reader) {
	for range r.count() {
		r.take(r.unsigned()) // module
		r.take(r.unsigned()) // name
		if r.byte() != 0 {
			r.fail()
		}
		r.unsigned() // type
		m.imported++
	}
}

// readNames reads the names of the functions.
func (m *module) readNames(r *reader) {
	const functions = 1
	for r.err == nil && r.at < len(r.data) {
		kind := r.byte()
		in := &reader{data: r.take(r.unsigned())}
		if kind != functions {
			continue
		}
		for range in.count() {
			index := in.unsigned()
			m.names[int(index)] = string(in.take(in.unsigned()))
		}
	}
}

// bytes returns the module.
func (m *module) bytes() []byte {
	out := []byte(header)
	for _, s := range m.sections {
		content := s.data
		switch s.id {
		case sectionFunction:
			content = binary.AppendUvarint(nil, uint64(len(m.types)))
			for _, t := range m.types {
				content = binary.AppendUvarint(content, t)
			}
		case sectionCode:
			content = binary.AppendUvarint(nil, uint64(len(m.code)))
			for _, c := range m.code {
				content = binary.AppendUvarint(content, uint64(len(c)))
				content = append(content, c...)
			}
		}
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(content)))
		out = append(out, content...)
	}
	return out
}
