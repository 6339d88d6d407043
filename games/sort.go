package games

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
)

// runLength is how many records are sorted in memory at a time, if nothing else is said.
const runLength = 2 << 20

// sorter sorts any number of records: runs in memory, which wait in files beside the
// segment and are merged.
type sorter struct {
	sys     files.System
	name    string // of the segment
	records []record
	spare   []record
	runs    []*files.Pending
	length  int // of a run
	total   int
	working chan error // what the sorting of the last run says once it is done; nil for none
}

// add adds records, whose game is game.
func (s *sorter) add(game uint32, records []record) error {
	for i := range records {
		records[i].game = game
	}
	s.records = append(s.records, records...)
	s.total += len(records)
	if len(s.records) < s.length {
		return nil
	}
	return s.spill()
}

// spill sorts the records and writes them as a run while others are added.
func (s *sorter) spill() error {
	if err := s.wait(); err != nil {
		return err
	}
	run, err := files.Scratch(s.sys, s.name)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, run)
	full := s.records
	if s.spare == nil {
		s.spare = make([]record, 0, cap(full))
	}
	s.records = s.spare[:0]
	done := make(chan error, 1)
	s.working = done
	go func() { done <- writeRun(run, full) }()
	s.spare = full
	return nil
}

// wait waits for the run that is being written.
func (s *sorter) wait() error {
	if s.working == nil {
		return nil
	}
	err := <-s.working
	s.working = nil
	return err
}

// close removes the runs.
func (s *sorter) close() {
	s.wait() // its error was returned, or nobody needs the run any more
	for _, r := range s.runs {
		r.Abort()
	}
	s.runs = nil
}

// sortBuckets is by how many bits of their keys records are sorted first.
const sortBuckets = 11

// sortRecords sorts records, by a first pass into buckets.
func sortRecords(records []record) {
	var starts [1<<sortBuckets + 1]int
	for i := range records {
		starts[records[i].key>>(64-sortBuckets)+1]++
	}
	for i := range 1 << sortBuckets {
		starts[i+1] += starts[i]
	}
	next := starts
	sorted := make([]record, len(records))
	for i := range records {
		b := records[i].key >> (64 - sortBuckets)
		sorted[next[b]] = records[i]
		next[b]++
	}
	for i := range 1 << sortBuckets {
		slices.SortFunc(sorted[starts[i]:starts[i+1]], func(a, b record) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return a.compare(&b)
		})
	}
	copy(records, sorted)
}

// recordSize is the length of a record in a run.
const recordSize = 22

func writeRun(out io.Writer, records []record) error {
	sortRecords(records)
	w := bufio.NewWriterSize(out, 1<<18)
	var b [recordSize]byte
	for i := range records {
		r := &records[i]
		binary.LittleEndian.PutUint64(b[:], r.key)
		binary.LittleEndian.PutUint32(b[8:], r.next)
		binary.LittleEndian.PutUint32(b[12:], r.game)
		binary.LittleEndian.PutUint16(b[16:], uint16(r.move))
		binary.LittleEndian.PutUint16(b[18:], r.check)
		binary.LittleEndian.PutUint16(b[20:], r.ply)
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	return w.Flush()
}

// runSource is a sorted run that is being merged.
type runSource struct {
	head record
	rest []record      // in memory
	file *bufio.Reader // or in a file
}

// next moves to the next record; ok is false at the end.
func (s *runSource) next() (ok bool, err error) {
	if s.file == nil {
		if len(s.rest) == 0 {
			return false, nil
		}
		s.head, s.rest = s.rest[0], s.rest[1:]
		return true, nil
	}
	b, err := s.file.Peek(recordSize)
	if err == io.EOF && len(b) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.head = record{
		positionID: positionID{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint16(b[18:])},
		next:       binary.LittleEndian.Uint32(b[8:]),
		game:       binary.LittleEndian.Uint32(b[12:]),
		move:       chess.Move(binary.LittleEndian.Uint16(b[16:])),
		ply:        binary.LittleEndian.Uint16(b[20:]),
	}
	s.file.Discard(recordSize) // which Peek has seen
	return true, nil
}

// each calls visit with all records in order.
func (s *sorter) each(visit func(*record) error) error {
	if err := s.wait(); err != nil {
		return err
	}
	sortRecords(s.records)
	heap := []*runSource{{rest: s.records}}
	for _, run := range s.runs {
		heap = append(heap, &runSource{file: bufio.NewReaderSize(io.NewSectionReader(run, 0, run.Size()), 1<<18)})
	}
	kept := heap[:0]
	for _, src := range heap {
		ok, err := src.next()
		if err != nil {
			return err
		}
		if ok {
			kept = append(kept, src)
		}
	}
	heap = kept
	slices.SortFunc(heap, func(a, b *runSource) int { return a.head.compare(&b.head) })
	for len(heap) > 0 {
		if err := visit(&heap[0].head); err != nil {
			return err
		}
		ok, err := heap[0].next()
		if err != nil {
			return err
		}
		if !ok {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap)
	}
	return nil
}

// sink moves the first of a heap to where it belongs.
func sink(heap []*runSource) {
	for i := 0; ; {
		least := 2*i + 1
		if least >= len(heap) {
			return
		}
		if right := least + 1; right < len(heap) && heap[right].head.compare(&heap[least].head) < 0 {
			least = right
		}
		if heap[i].head.compare(&heap[least].head) <= 0 {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
