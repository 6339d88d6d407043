package games

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"math/bits"
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/pgn"
)

// segment is a file of games with an index of their positions. It never changes. It is
// safe for concurrent use.
type segment struct {
	name  string
	file  io.ReaderAt
	size  int64
	dirs  [sections]uint64 // where the places of pages stand
	pages [sections]int    // how many there are
	sum   uint32           // of the footer, by which a segment is known
	shape

	close   func() error
	first   int // number of its first game in the database
	mu      sync.Mutex
	strings map[int][]byte // pages that were read
}

func openSegment(name string) (*segment, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		var s *segment
		if s, err = openPages(name, f, info.Size()); err == nil {
			s.close = f.Close
			return s, nil
		}
	}
	return nil, errors.Join(err, f.Close())
}

// blocks iterates over the numbers of all blocks.
func (s *segment) blocks() iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := 0; n < s.pages[secMoves] && yield(n); n++ {
		}
	}
}

// text returns a string by its number.
func (s *segment) text(n uint32) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number := int(n / stringsPerPage)
	page, ok := s.strings[number]
	if !ok {
		var err error
		if page, err = s.page(secStrings, number); err != nil {
			return "", err
		}
		if len(page) > stringsPerPage*(maxShared+2) {
			return "", s.damaged("page %d of strings: %w", number, errContent)
		}
		if len(s.strings) >= maxCachedPages {
			clear(s.strings)
		}
		s.strings[number] = page
	}
	r := reader{data: page}
	for range n % stringsPerPage {
		r.text()
	}
	text := string(r.text())
	if r.bad {
		return "", s.damaged("it has no string %d", n)
	}
	return text, nil
}

// maxCachedPages bounds the pages of strings that are held in memory.
const maxCachedPages = 1 << 10

// matching reports for each string whether it matches.
func (s *segment) matching(match func(string) bool) (found []bool, err error) {
	found = make([]bool, stringsPerPage*s.pages[secStrings])
	for page := range s.pages[secStrings] {
		data, err := s.page(secStrings, page)
		r := reader{data: data}
		for i := 0; i < stringsPerPage && len(r.data) > 0; i++ {
			found[page*stringsPerPage+i] = match(string(r.text()))
		}
		if r.bad || len(r.data) > 0 {
			err = s.damaged("strings: %w", errContent)
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// hashes returns a page of hashes in order.
func (s *segment) hashes(page int) (all []uint64, err error) {
	data, err := s.page(secHashes, page)
	for ; len(data) >= 8; data = data[8:] {
		all = append(all, binary.LittleEndian.Uint64(data))
	}
	return all, err
}

// common counts those of hashes, in order, of which the segment holds a game.
func (s *segment) common(hashes ...uint64) (n int, err error) {
	var have []uint64
	page := -1
	for _, hash := range hashes {
		hi, _ := bits.Mul64(hash, uint64(s.pages[secHashes]))
		if int(hi) != page {
			page = int(hi)
			if have, err = s.hashes(page); err != nil {
				return n, err
			}
		}
		if _, ok := slices.BinarySearch(have, hash); ok {
			n++
		}
	}
	return n, nil
}

// lookUp returns the node of a position, or else the blocks whose games may have come
// to it.
func (s *segment) lookUp(p *chess.Position) (*node, []int, error) {
	n, blocks, err := s.search(p, nil)
	if n == nil && err == nil && p.SideToMove() == chess.Black {
		p = p.Clone()
		for _, m := range movegen.Legal(p, make([]chess.Move, 0, chess.MaxMoves)) {
			p.Make(m)
			if _, blocks, err = s.search(p, blocks); err != nil {
				break
			}
			p.Unmake()
		}
	}
	slices.Sort(blocks)
	return n, slices.Compact(blocks), err
}

// search is lookUp for the page of one position. Blocks are added to those given.
func (s *segment) search(p *chess.Position, blocks []int) (*node, []int, error) {
	id := identify(p)
	number, entry := place(id.key, uint64(s.pages[secIndex]))
	page, err := s.page(secIndex, number)
	if err != nil {
		return nil, nil, err
	}
	n, blocks, err := searchPage(page, id, entry, blocks)
	if err != nil {
		return nil, nil, s.damaged("page %d of the index: %w", number, err)
	}
	return n, blocks, nil
}

// block is an unpacked block.
type block struct {
	number int
	heads  []header
	fens   []string
	moves  [][]byte

	reading sync.Mutex
	tags    [][]byte // nil until they are asked for, as are the clocks; guarded by reading
	clocks  [][]byte
}

// maxBlock bounds the length of what a page unpacks to.
const maxBlock = 1 << 25

// unpack reads a packed page.
func (s *segment) unpack(section, number int) ([]byte, error) {
	data, err := s.page(section, number)
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxBlock+1))
	if err == nil && len(out) > maxBlock {
		err = errContent
	}
	if err != nil {
		err = s.damaged("page %d of section %d: %w", number, section, err)
	}
	return out, err
}

// headReader reads the headers of games in order, each page once.
type headReader struct {
	*segment
	number int // of the page
	page   []byte
}

// header returns the header of a game.
func (r *headReader) header(game int) (h header, err error) {
	if number := game / headersPerPage; r.page == nil || number != r.number {
		r.number = number
		if r.page, err = r.segment.page(secHeaders, number); err != nil {
			return h, err
		}
	}
	at := game % headersPerPage * headerSize
	if at < 0 || at+headerSize > len(r.page) {
		return h, r.damaged("there is no game %d", game)
	}
	return readHeader(r.page[at:]), nil
}

// headers returns the headers of a block.
func (s *segment) headers(number int) ([]header, error) {
	all := make([]header, min(blockGames, max(0, int(s.games)-number*blockGames)))
	r := headReader{segment: s}
	for i := range all {
		var err error
		if all[i], err = r.header(number*blockGames + i); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readBlock reads the moves and headers of a block.
func (s *segment) readBlock(number int) (*block, error) {
	heads, err := s.headers(number)
	if err != nil {
		return nil, err
	}
	data, err := s.unpack(secMoves, number)
	if err != nil {
		return nil, err
	}
	b := &block{number: number, heads: heads}
	r := reader{data: data}
	for range heads {
		b.fens = append(b.fens, string(r.text()))
		n := r.number()
		r.bad = r.bad || n > pgn.MaxPlies
		b.moves = append(b.moves, r.bytes(2*n))
	}
	if r.bad || len(r.data) > 0 {
		return nil, s.damaged("block %d: %w", number, errContent)
	}
	return b, nil
}

var standardStart = chess.NewPosition()

// begin makes p the start of game i of a block.
func (s *segment) begin(b *block, i int, p *chess.Position) error {
	p.CopyFrom(standardStart)
	if b.fens[i] == "" {
		return nil
	}
	if err := p.SetFEN(b.fens[i]); err != nil {
		return s.damaged("game %d: %w", b.number*blockGames+i, err)
	}
	return nil
}

// replay plays game i of a block on p and calls visit in each position with the move to
// come, NoMove at the end, until visit returns false.
func (s *segment) replay(b *block, i int, p *chess.Position, visit func(m chess.Move) bool) error {
	if err := s.begin(b, i, p); err != nil {
		return err
	}
	for moves := b.moves[i]; len(moves) > 0; moves = moves[2:] {
		m := readMove(moves)
		if m != chess.NoMove && !p.IsLegal(m) {
			return s.illegal(b, i)
		}
		if !visit(m) {
			return nil
		}
		if m == chess.NoMove {
			p.MakeNull()
		} else {
			p.Make(m)
		}
	}
	visit(chess.NoMove)
	return nil
}

// illegal reports a move in game i of a block that its position does not have.
func (s *segment) illegal(b *block, i int) error {
	return s.damaged("game %d: a move that the position does not have", b.number*blockGames+i)
}

// readTags returns the stored tags and clocks of the games of a block.
func (s *segment) readTags(b *block) (tags, clocks [][]byte, err error) {
	b.reading.Lock()
	defer b.reading.Unlock()
	if b.tags != nil {
		return b.tags, b.clocks, nil
	}
	data, err := s.unpack(secTags, b.number)
	if err != nil {
		return nil, nil, err
	}
	r := reader{data: data}
	tags, clocks = make([][]byte, len(b.fens)), make([][]byte, len(b.fens))
	for i := range tags {
		tags[i], clocks[i] = r.text(), r.text()
	}
	if r.bad || len(r.data) > 0 {
		return nil, nil, s.damaged("tags %d: %w", b.number, errContent)
	}
	b.tags, b.clocks = tags, clocks
	return tags, clocks, nil
}

// values returns the shared values of a header.
func (s *segment) values(h *header) (all [values]string, err error) {
	for i, n := range h.values {
		if all[i], err = s.text(n); err != nil {
			return all, err
		}
	}
	return all, nil
}

// game returns game i of a block.
func (s *segment) game(b *block, i int) (*pgn.Game, error) {
	h := &b.heads[i]
	shared, err := s.values(h)
	if err != nil {
		return nil, err
	}
	tags, clocks, err := s.readTags(b)
	if err != nil {
		return nil, err
	}
	g := &pgn.Game{Result: h.result}
	if g.Tags, err = joinTags(tags[i], h, &shared, b.fens[i]); err != nil {
		return nil, s.damaged("game %d: %w", b.number*blockGames+i, err)
	}
	p := &chess.Position{}
	if b.fens[i] != "" {
		if err := s.begin(b, i, p); err != nil {
			return nil, err
		}
		g.Start = p.Clone()
	}
	err = s.replay(b, i, p, func(m chess.Move) bool {
		g.Main.Moves = append(g.Main.Moves, pgn.Node{Move: m})
		return true
	})
	g.Main.Moves = g.Main.Moves[:max(0, len(g.Main.Moves)-1)] // without the end
	if err == nil && readClocks(clocks[i], g) != nil {
		err = s.damaged("clocks of game %d: %w", b.number*blockGames+i, errContent)
	}
	return g, err
}
