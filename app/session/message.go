package session

import (
	"encoding/json"
	"time"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/openings"
)

// Protocol is the version number of the messages.
const Protocol = 1

// Limits of requests.
const (
	MaxMessage = 4 << 20 // bytes of a request

	maxID       = 64   // bytes of a request's id
	maxMoves    = 2000 // moves of a position
	maxMultiPV  = 20
	maxRequests = 8       // in progress at once in a session
	maxFlight   = 8 << 20 // bytes of these requests, or of their replies until they are read
	maxGames    = 200
	maxParts    = 20_000    // moves, tags, comments and marks of one game with its variations, or of a reply to pgn
	maxRemarks  = 512 << 10 // bytes of the comments in a game to review
	maxDepth    = 128
	maxMillis   = 1 << 32 // of any time, 49 days
)

// Reply is a message to the client: an event, or the final reply of a request.
// Exactly one of the fields beside ID and Warning is set.
type Reply struct {
	ID       json.RawMessage `json:"id"`
	Info     any             `json:"info,omitempty"`
	Progress any             `json:"progress,omitempty"`
	Result   any             `json:"result,omitempty"`
	Error    *Error          `json:"error,omitempty"`
	Warning  string          `json:"warning,omitempty"` // what was dropped from the FEN of the request, or assumed
}

// json returns the message as JSON.
func (r Reply) json() []byte {
	data, err := json.Marshal(r)
	if err != nil { // a result of ours that is no JSON
		data, _ = json.Marshal(Reply{ID: r.ID, Error: &Error{Reason: err.Error()}})
	}
	return data
}

// Error is the error of a request.
type Error = lab.Fault

// Place describes a position: a FEN, the number of a Chess960 start position or, without either, the
// standard start position, and the moves played from there.
type Place struct {
	FEN      string   `json:"fen,omitempty"` // or what else chess.ReadPosition reads
	Chess960 *int     `json:"chess960,omitempty"`
	Moves    []string `json:"moves,omitempty"` // UCI or SAN, -- a null move
}

// jsonMove is a move as text.
type jsonMove struct {
	UCI string `json:"uci"` // castling is king takes rook where the position is one of Chess960
	SAN string `json:"san"`
}

// Legal is a legal move with the data for a board on which the user drags pieces.
type Legal struct {
	jsonMove
	From      string        `json:"from"`
	To        string        `json:"to"` // the target square
	Promotion string        `json:"promotion,omitempty"`
	Capture   string        `json:"capture,omitempty"` // the square of the captured piece
	Castling  *jsonCastling `json:"castling,omitempty"`
}

// jsonCastling holds the target squares of king and rook.
type jsonCastling struct {
	King     string `json:"king"`
	RookFrom string `json:"rookFrom"`
	Rook     string `json:"rook"`
}

// Played is a move with the position after it.
type Played struct {
	jsonMove
	FEN string `json:"fen"`
}

// jsonOutcome is the result of the game by the rules.
type jsonOutcome struct {
	Over      bool   `json:"over"`
	Claimable bool   `json:"claimable"`
	Result    string `json:"result"`
	Reason    string `json:"reason"`
}

// jsonPosition is the result of position.
type jsonPosition struct {
	FEN         string            `json:"fen"`
	Start       string            `json:"start"`
	Chess960    bool              `json:"chess960"`
	Turn        string            `json:"turn"`
	Check       bool              `json:"check"`
	Checkers    []string          `json:"checkers"`
	Halfmove    int               `json:"halfmove"`
	Fullmove    int               `json:"fullmove"`
	Repetitions int               `json:"repetitions"`
	Legal       []Legal           `json:"legal"`
	Played      []Played          `json:"played"`
	Outcome     jsonOutcome       `json:"outcome"`
	Opening     *openings.Opening `json:"opening,omitempty"`
}

// jsonOption is a setting of the session or, if it is fixed, of the server.
type jsonOption struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Value   string `json:"value"`
	Default string `json:"default"`
	Min     int    `json:"min"`
	Max     int    `json:"max"`
	Doc     string `json:"doc"`
	Fixed   bool   `json:"fixed"`
}

// Hello is the result of hello.
type Hello struct {
	Name      string       `json:"name"`
	Version   string       `json:"version"`
	Protocol  int          `json:"protocol"`
	Transport string       `json:"transport"`
	Requests  []string     `json:"requests"`
	Threads   int          `json:"threads"`
	Hash      int          `json:"hash"`
	Network   string       `json:"network"`
	Tables    int          `json:"tables"`
	Elo       Span         `json:"elo"`
	Options   []jsonOption `json:"options"`
	Limits    Bounds       `json:"limits"`
}

// Span is a range from a minimum to a maximum.
type Span struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// Bounds are the limits of requests.
type Bounds struct {
	Message  int   `json:"message"`  // bytes
	Moves    int   `json:"moves"`    // of a position
	MultiPV  int   `json:"multipv"`  // lines
	Requests int   `json:"requests"` // in progress at once in a session
	Search   int64 `json:"search"`   // ms, 0 for no bound
	Games    int   `json:"games"`    // of one pgn reply
}

// Optioned is the result of option, Stopped of stop, Written of write.
type (
	Optioned struct {
		Options []jsonOption `json:"options"`
	}
	Stopped struct {
		Stopped bool `json:"stopped"`
	}
	Written struct {
		Text string `json:"text"`
	}
)

// millis returns a duration as whole milliseconds.
func millis(d time.Duration) int64 { return d.Milliseconds() }
