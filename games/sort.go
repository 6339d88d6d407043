package games

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
)

// sorter sorts any number of records: runs, which are sorted in memory, wait in files
// beside the segment and are merged.
type sorter struct {
	name    string // of the segment
	records []record
	runs    []*files.Pending
	length  int // of a run
	total   int
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

// spill writes the records as a run.
func (s *sorter) spill() error {
	run, err := files.Scratch(s.name)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, run)
	w := bufio.NewWriterSize(run, runBuffer)
	slices.SortFunc(s.records, func(a, b record) int { return a.compare(&b) })
	for i := range s.records {
		w.Write(s.records[i].append(w.AvailableBuffer())) // Flush returns its error
	}
	s.records = s.records[:0]
	return w.Flush()
}

// runBuffer is how much of a run is written or read at a time.
const runBuffer = 1 << 16

// close removes the runs.
func (s *sorter) close() {
	for _, r := range s.runs {
		r.Abort()
	}
	s.runs = nil
}

// each calls visit with all records in order.
func (s *sorter) each(visit func(*record) error) error {
	if err := s.spill(); err != nil {
		return err
	}
	var runs []io.Reader
	for _, run := range s.runs {
		runs = append(runs, io.NewSectionReader(run, 0, run.Size()))
	}
	return mergeRuns(runs, visit)
}

// recordSize is the length of a record in a run.
const recordSize = 22

// append appends the record as a run has it.
func (r *record) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, r.key)
	b = binary.LittleEndian.AppendUint32(b, r.next)
	b = binary.LittleEndian.AppendUint32(b, r.game)
	b = binary.LittleEndian.AppendUint16(b, uint16(r.move))
	b = binary.LittleEndian.AppendUint16(b, r.check)
	return binary.LittleEndian.AppendUint16(b, r.ply)
}

// runSource is a sorted run that is being merged.
type runSource struct {
	head record
	*bufio.Reader
}

// next moves to the next record. io.EOF: there is none.
func (s *runSource) next() error {
	b, err := s.Peek(recordSize)
	if err == io.EOF && len(b) > 0 {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	s.head = record{
		positionID: positionID{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint16(b[18:])},
		next:       binary.LittleEndian.Uint32(b[8:]),
		game:       binary.LittleEndian.Uint32(b[12:]),
		move:       chess.Move(binary.LittleEndian.Uint16(b[16:])),
		ply:        binary.LittleEndian.Uint16(b[20:]),
	}
	s.Discard(recordSize) // which Peek has seen
	return nil
}

// mergeRuns calls visit with the records of sorted runs in order.
func mergeRuns(runs []io.Reader, visit func(*record) error) error {
	var heap []*runSource
	for _, run := range runs {
		src := &runSource{Reader: bufio.NewReaderSize(run, runBuffer)}
		switch err := src.next(); {
		case err == nil:
			heap = append(heap, src)
		case err != io.EOF:
			return err
		}
	}
	slices.SortFunc(heap, func(a, b *runSource) int { return a.head.compare(&b.head) })
	for len(heap) > 0 {
		if err := visit(&heap[0].head); err != nil {
			return err
		}
		err := heap[0].next()
		if errors.Is(err, io.EOF) {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		} else if err != nil {
			return err
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
