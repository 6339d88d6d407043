package main

import (
	"bytes"
	"fmt"
	"path"
	"strings"
)

// mutant is one small break: in file, old becomes new. Old occurs once.
type mutant struct {
	file, what string
	old, new   string
}

// apply returns the broken text of the file. The error says that old does not
// occur exactly once, as happens when the file has changed.
func (m *mutant) apply(text []byte) ([]byte, error) {
	if n := bytes.Count(text, []byte(m.old)); n != 1 {
		return nil, fmt.Errorf("%q occurs %d times, want once", m.old, n)
	}
	return bytes.Replace(text, []byte(m.old), []byte(m.new), 1), nil
}

// everythingButGen stands for ./... without the comparison of generated files
// with their generator.
const (
	everythingButGen    = "./... but the comparison of generated files"
	generatedFilesTests = "^TestCommitted$"
)

// packages returns the patterns to test, nearest first.
func (m *mutant) packages() []string {
	dir, everything := "./"+path.Dir(m.file), "./..."
	if strings.HasPrefix(path.Base(m.file), "z") {
		everything = everythingButGen
	}
	switch dir {
	case "./chess":
		return []string{"./chess", "./movegen", everything}
	case "./movegen/count":
		return []string{"./movegen", dir, everything}
	}
	return []string{dir, everything}
}

// mutants returns all breaks, by file.
func mutants() []mutant {
	var all []mutant
	for _, group := range [][]mutant{legalMutants, pawnMutants, positionMutants, makeMutants, fenMutants, attackMutants, tableMutants, referenceMutants} {
		all = append(all, group...)
	}
	return all
}
