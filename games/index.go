package games

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// The index of a segment finds the games that came to a position. It is cut into pages
// by the upper bits of keys. A page has two parts.
//
// Nodes: positions that popular or more games came to, with what was played, see node.
//
// Rare positions: entries of some bits of the key and the number of a block of games, in
// order, three bytes each. An entry says that a game of the block may have come to
// such a position; only replaying the block tells. White to move: every rare position
// of every game has an entry. Black to move: only where the game ends, passes or comes
// to a position that has a node; otherwise the position after the next move has an
// entry, so that a search asks for all legal moves. That halves the index.

const (
	rarePerPage = 512 // entries of a page on average
	rareBits    = 14  // of the key that an entry has: a wrong one in 32 look-ups
)

// indexWriter writes an index from records in order.
type indexWriter struct {
	to    *pageWriter
	shape *shape
	heads []byte // headers of the games, by number
	pages uint64

	number int // of the page being written
	nodes  []byte
	inPage int    // nodes
	rare   []rare // entries
	whites []uint32
	group  positionID
	games  []visit // that came to it
}

// visit says that a game came to a position, and what was played there.
type visit struct {
	game, next uint32 // as in a record
	move       chess.Move
}

// rare is the entry of a rare position.
type rare struct {
	bits  uint32
	block uint16
}

// place returns the page of a key and the bits that an entry has.
func place(key, pages uint64) (page int, entry uint32) {
	hi, lo := bits.Mul64(key, pages)
	return int(hi), uint32(lo >> (64 - rareBits))
}

// add adds the next record. A game that comes to a position again does not count.
func (w *indexWriter) add(r *record) error {
	if r.positionID != w.group {
		w.endGroup()
		w.group = r.positionID
	}
	if n := len(w.games); n == 0 || w.games[n-1].game != r.game {
		w.games = append(w.games, visit{r.game, r.next, r.move})
	}
	return nil
}

// endGroup writes a position.
func (w *indexWriter) endGroup() {
	if len(w.games) == 0 {
		return
	}
	page, entry := place(w.group.key, w.pages)
	for ; w.number < page; w.number++ {
		w.flush()
	}
	w.shape.positions++
	if len(w.games) >= popular {
		w.addNode()
	} else {
		w.addRare(entry)
	}
	w.games = w.games[:0]
}

func (w *indexWriter) addNode() {
	w.shape.popular++
	if w.group.key < blackToMove {
		w.whites = append(w.whites, short(w.group.key))
	}
	w.nodes = binary.LittleEndian.AppendUint64(w.nodes, w.group.lower())
	body := w.node()
	w.nodes = append(binary.AppendUvarint(w.nodes, uint64(len(body))), body...)
	w.inPage++
}

func (w *indexWriter) addRare(entry uint32) {
	for i := range w.games {
		v := &w.games[i]
		if w.group.key >= blackToMove && v.move != chess.NoMove {
			if _, ok := slices.BinarySearch(w.whites, v.next); !ok {
				continue
			}
		}
		w.rare = append(w.rare, rare{entry, uint16(v.game / blockGames)})
	}
}

// lower returns what a node begins with: the lower 48 bits of the key and the check.
func (id positionID) lower() uint64 { return id.key<<16 | uint64(id.check) }

// flush writes a page.
func (w *indexWriter) flush() {
	buf := binary.AppendUvarint(nil, uint64(w.inPage))
	buf = append(buf, w.nodes...)
	slices.SortFunc(w.rare, func(a, b rare) int {
		return cmp.Or(cmp.Compare(a.bits, b.bits), cmp.Compare(a.block, b.block))
	})
	w.rare = slices.Compact(w.rare)
	buf = binary.AppendUvarint(buf, uint64(len(w.rare)))
	last := uint32(0)
	for _, e := range w.rare {
		buf = binary.AppendUvarint(buf, uint64(e.bits-last))
		buf = binary.LittleEndian.AppendUint16(buf, e.block)
		last = e.bits
	}
	w.to.page(secIndex, buf)
	w.nodes, w.inPage, w.rare = w.nodes[:0], 0, w.rare[:0]
}

// finish writes what is left.
func (w *indexWriter) finish() {
	w.endGroup()
	for ; w.number < int(w.pages); w.number++ {
		w.flush()
	}
}

// searchPage returns the node of a position in a page, nil for none, and appends the
// blocks whose games may have come to it to blocks where there is no node.
func searchPage(page []byte, id positionID, entry uint32, blocks []int) (*node, []int, error) {
	r := reader{data: page}
	for range r.number() {
		key, body := r.bytes(8), r.text()
		if r.bad {
			return nil, nil, errContent
		}
		if binary.LittleEndian.Uint64(key) == id.lower() {
			n, err := readNode(body)
			return n, blocks, err
		}
	}
	last := 0
	for range r.number() {
		last += r.number()
		block := r.bytes(2)
		if r.bad {
			return nil, nil, errContent
		}
		if last > int(entry) {
			break
		}
		if last == int(entry) {
			blocks = append(blocks, int(binary.LittleEndian.Uint16(block)))
		}
	}
	return nil, blocks, nil
}
