package games

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
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
	*pageReader
	mu      sync.Mutex
	strings map[int][]string // pages that were read
}

func openSegment(sys files.System, name string) (*segment, error) {
	f, err := sys.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := openPages(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &segment{pageReader: r, strings: map[int][]string{}}, nil
}

// blocks returns the number of blocks.
func (s *segment) blocks() int { return s.pages[secMoves] }

// text returns a string by its number.
func (s *segment) text(n uint32) (string, error) {
	page := int(n / stringsPerPage)
	s.mu.Lock()
	texts, ok := s.strings[page]
	s.mu.Unlock()
	if !ok {
		data, err := s.page(secStrings, page)
		if err != nil {
			return "", err
		}
		r := reader{data: data}
		for len(r.data) > 0 && !r.bad {
			texts = append(texts, string(r.text()))
		}
		if r.bad {
			return "", s.damaged("strings: %w", errContent)
		}
		s.mu.Lock()
		if len(s.strings) >= maxCachedPages {
			clear(s.strings)
		}
		s.strings[page] = texts
		s.mu.Unlock()
	}
	if i := int(n % stringsPerPage); i < len(texts) {
		return texts[i], nil
	}
	return "", s.damaged("it has no string %d", n)
}

// maxCachedPages bounds the pages of strings that are held in memory.
const maxCachedPages = 1 << 12

// numbersOf returns the numbers of the strings that match.
func (s *segment) numbersOf(match func(string) bool) (map[uint32]bool, error) {
	found := map[uint32]bool{}
	n := uint32(0)
	for page := range s.pages[secStrings] {
		data, err := s.page(secStrings, page)
		if err != nil {
			return nil, err
		}
		for r := (reader{data: data}); len(r.data) > 0 && !r.bad; n++ {
			if match(string(r.text())) {
				found[n] = true
			}
		}
	}
	return found, nil
}

// has reports whether the segment holds a game with that hash.
func (s *segment) has(hash uint64) (bool, error) {
	number, _ := bits.Mul64(hash, uint64(s.pages[secHashes]))
	page, err := s.page(secHashes, int(number))
	if err != nil {
		return false, err
	}
	for ; len(page) >= 8; page = page[8:] {
		if binary.LittleEndian.Uint64(page) == hash {
			return true, nil
		}
	}
	return false, nil
}

// lookUp returns the node of a position, or else the blocks whose games may have come
// to it.
func (s *segment) lookUp(p *chess.Position) (*node, []uint32, error) {
	n, blocks, err := s.search(p, nil)
	if err != nil || n != nil || p.SideToMove() == chess.White {
		return n, compact(blocks), err
	}
	p = p.Clone()
	for _, m := range movegen.Legal(p, make([]chess.Move, 0, chess.MaxMoves)) {
		p.Make(m)
		if _, blocks, err = s.search(p, blocks); err != nil {
			return nil, nil, err
		}
		p.Unmake()
	}
	return nil, compact(blocks), nil
}

func compact(blocks []uint32) []uint32 {
	slices.Sort(blocks)
	return slices.Compact(blocks)
}

// search is lookUp for the page of one position. Blocks are added to those given.
func (s *segment) search(p *chess.Position, blocks []uint32) (*node, []uint32, error) {
	id := identify(p)
	number, entry := place(id.key, uint64(s.pages[secIndex]))
	page, err := s.page(secIndex, number)
	if err != nil {
		return nil, nil, err
	}
	n, found, err := searchPage(page, id, entry, blockBits(s.blocks()), blocks)
	if err != nil {
		return nil, nil, s.damaged("page %d of the index: %w", number, err)
	}
	if n != nil {
		found = blocks
	}
	return n, found, nil
}

// block is an unpacked block.
type block struct {
	number  int
	headers []byte
	fens    []string
	moves   [][]byte
}

// inflaters are readers to be used again.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// maxBlock bounds the length of what a page unpacks to.
const maxBlock = 1 << 28

// unpack reads a packed page.
func (s *segment) unpack(section, number int) ([]byte, error) {
	data, err := s.page(section, number)
	if err != nil {
		return nil, err
	}
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	r.(flate.Resetter).Reset(bytes.NewReader(data), nil)
	var out bytes.Buffer
	out.Grow(4 * len(data))
	if _, err := io.Copy(&out, io.LimitReader(r, maxBlock)); err != nil {
		return nil, s.damaged("page %d of section %d: %w", number, section, err)
	}
	return out.Bytes(), nil
}

// headersOf returns the headers of a block.
func (s *segment) headersOf(number int) ([]byte, error) {
	page, err := s.page(secHeaders, number)
	if err == nil && (len(page)%headerSize != 0 || len(page) > blockGames*headerSize) {
		err = s.damaged("headers %d: %w", number, errContent)
	}
	return page, err
}

// readBlock reads the moves and headers of a block.
func (s *segment) readBlock(number int) (*block, error) {
	headers, err := s.headersOf(number)
	if err != nil {
		return nil, err
	}
	data, err := s.unpack(secMoves, number)
	if err != nil {
		return nil, err
	}
	b := &block{number: number, headers: headers}
	r := reader{data: data}
	var lengths []int
	for range len(headers) / headerSize {
		b.fens = append(b.fens, string(r.text()))
		lengths = append(lengths, r.number())
	}
	for _, n := range lengths {
		b.moves = append(b.moves, r.bytes(n))
	}
	if r.bad || len(r.data) > 0 {
		return nil, s.damaged("block %d: %w", number, errContent)
	}
	return b, nil
}

// games returns the number of games.
func (b *block) games() int { return len(b.fens) }

// begin makes p the start of a game.
func (b *block) begin(p *chess.Position, i int) error {
	if fen := b.fens[i]; fen != "" {
		return p.SetFEN(fen)
	}
	p.CopyFrom(standardStart)
	return nil
}

var standardStart = chess.NewPosition()

// tagsOf returns the stored tags of the games of a block.
func (s *segment) tagsOf(number, games int) ([][]byte, error) {
	data, err := s.unpack(secTags, number)
	if err != nil {
		return nil, err
	}
	r := reader{data: data}
	all := make([][]byte, games)
	for i := range all {
		all[i] = r.text()
	}
	if r.bad || len(r.data) > 0 {
		return nil, s.damaged("tags %d: %w", number, errContent)
	}
	return all, nil
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

// game returns game i of a block, whose tags are those of tagsOf.
func (s *segment) game(b *block, i int, tags []byte) (*pgn.Game, error) {
	h := readHeader(b.headers, i)
	shared, err := s.values(&h)
	if err != nil {
		return nil, err
	}
	g := &pgn.Game{Result: h.result}
	if g.Tags, err = joinTags(tags, &h, &shared, b.fens[i]); err != nil {
		return nil, s.damaged("game %d: %w", b.number*blockGames+i, err)
	}
	p := &chess.Position{}
	if err := b.begin(p, i); err != nil {
		return nil, s.damaged("game %d: %w", b.number*blockGames+i, err)
	}
	if b.fens[i] != "" {
		g.Start = p.Clone()
	}
	for rest := b.moves[i]; len(rest) > 0; {
		n := pgn.Node{}
		if n.Move, rest, err = readMove(rest, p); err != nil {
			return nil, s.damaged("game %d: %w", b.number*blockGames+i, err)
		}
		n.Play(p)
		g.Main.Moves = append(g.Main.Moves, n)
	}
	return g, nil
}
