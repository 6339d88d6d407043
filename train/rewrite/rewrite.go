// Package rewrite makes files of games out of others: merged, shuffled, or in
// the forms other trainers read. A result is written whole or not at all.
//
// It imports train/block, train/loader, train/record, search and what lies below.
package rewrite

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
)

// Outcome tells what went into a file and what did not.
type Outcome struct {
	Totals   block.Header
	Repeated int          // games left out because one of the same origin was there
	Damages  []FileDamage // blocks left out
	Live     []string     // files to which games were being added, read as they were at the start
}

// FileDamage is a damaged block of one of several files.
type FileDamage struct {
	File string
	block.Damage
}

// Error returns "FILE: block N at byte OFFSET: reason".
func (d *FileDamage) Error() string { return d.File + ": " + d.Damage.Error() }

// source is what is read.
type source struct {
	names   []string
	files   []*block.File
	salvage bool // go on after damage
	damages []FileDamage
	live    []string
}

// openAll opens the files. Damage is an error unless salvage.
func openAll(names []string, salvage bool) (*source, error) {
	s := &source{names: names, salvage: salvage}
	for _, name := range names {
		f, err := block.Open(name)
		if err != nil {
			s.close()
			return nil, err
		}
		s.files = append(s.files, f)
		if f.Live {
			s.live = append(s.live, name)
		}
		for _, d := range f.Damages {
			if err := s.damaged(name, d); err != nil {
				s.close()
				return nil, err
			}
		}
	}
	return s, nil
}

// close closes the files.
func (s *source) close() {
	for _, f := range s.files {
		f.Close()
	}
}

// damaged notes damage, or returns it as an error.
func (s *source) damaged(name string, d block.Damage) error {
	found := FileDamage{name, d}
	if !s.salvage {
		return &found
	}
	s.damages = append(s.damages, found)
	return nil
}

// bytes returns the length of all games.
func (s *source) bytes() (n int64) {
	for _, f := range s.files {
		n += int64(f.Games())*record.MinSize + int64(f.Positions())*4
	}
	return n
}

// each calls visit with every block in turn, until ctx ends.
func (s *source) each(ctx context.Context, visit func(*block.Block) error) error {
	var b block.Block
	for i, f := range s.files {
		for j := range f.Entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := f.Read(j, &b)
			var damage *block.Damage
			if errors.As(err, &damage) {
				if err := s.damaged(s.names[i], *damage); err != nil {
					return err
				}
				continue
			}
			if err == nil {
				err = visit(&b)
			}
			if err != nil {
				return fmt.Errorf("%s: block %d: %w", s.names[i], f.Entries[j].Number, err)
			}
		}
	}
	return nil
}

// Merge writes the games of the files in order to out, in the given form, each
// origin once.
// Damaged blocks are an error, or left out where salvage is set. When ctx ends
// first nothing is written.
func Merge(ctx context.Context, names []string, out string, form block.Form, salvage bool) (*Outcome, error) {
	s, err := openAll(names, salvage)
	if err != nil {
		return nil, err
	}
	defer s.close()
	w, err := block.Create(out)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	w.Pack(form)
	o := &Outcome{}
	seen := map[block.ID]bool{}
	err = s.each(ctx, func(b *block.Block) error {
		for id, g := range b.Games() {
			if id != (block.ID{}) {
				if seen[id] {
					o.Repeated++
					continue
				}
				seen[id] = true
			}
			if err := w.Add(id, g); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := w.Commit(); err != nil {
		return nil, err
	}
	o.Totals, o.Damages, o.Live = w.Totals, s.damages, s.live
	return o, nil
}
