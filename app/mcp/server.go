package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/openings"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

// Limits of requests.
const (
	mostPositions = 1_000      // that are remembered; the oldest are forgotten
	mostPlies     = 500_000    // of the games of all of them, likewise
	mostMoves     = 1_000      // in one call
	mostGame      = 12_000     // plies of a game; by the rules it ends before
	mostNodes     = 20_000_000 // of one search
	mostPGN       = 256 << 10  // bytes of a game to review
)

// ServerSettings configure the server.
type ServerSettings struct {
	Version string
	Engine  *search.Engine // searches and reviews, one at a time; it has one thread
	Tables  *syzygy.Tables // endgame tables
	Games   *games.DB      // nil for none
}

// server is a run of the command.
type server struct {
	ServerSettings
	ended     context.Context // of the server: the SDK waits for tools at the end, and does not tell them
	searching sync.Mutex      // is held while Engine works

	mu        sync.Mutex
	positions map[string]*chess.Position // by their names; they are never changed
	names     []string                   // in the order in which they were made
	plies     int                        // of the games of all
	made      int
}

// Run serves one client until it disconnects and its requests are answered, or ctx is done. The error is that of the
// first write that failed, or that of the connection; at the end of in that may be io.EOF.
func Run(ctx context.Context, s ServerSettings, in io.Reader, out io.WriteCloser) error {
	lines, to := transport(in, out)
	err := newServer(ctx, s).Run(ctx, lines)
	return cmp.Or(to.failed(), err)
}

// newServer returns the server with all its tools, whose work ends with ctx.
func newServer(ctx context.Context, settings ServerSettings) *sdk.Server {
	s := &server{ServerSettings: settings, ended: ctx, positions: map[string]*chess.Position{}}
	out := sdk.NewServer(&sdk.Implementation{Name: "tabula", Title: "Tabula chess engine", Version: settings.Version},
		&sdk.ServerOptions{
			Instructions: "Make a position with set_position, then name it in the other tools. " +
				"Never guess a position, a legal move or an evaluation: ask.",
		})
	add(out, s, "set_position",
		"Makes a position from a FEN (default: the start of the game) and moves, and returns its name, FEN and board.",
		s.setPosition)
	ask(out, s, "play", "Plays moves in a position and returns the new position. The old one remains.", s.play)
	ask(out, s, "legal_moves", "Lists the legal moves of a position.", s.legalMoves)
	ask(out, s, "explain_move", "Says whether a move is legal in a position and, if not, why: the rules that it breaks.",
		s.explainMove)
	ask(out, s, "analyse",
		"Searches a position with the engine and returns the best lines with scores from the side to move's view.", s.analyse)
	ask(out, s, "endgame_table",
		"Looks a position of few pieces up in endgame tables: win, draw or loss with best play, for every move.",
		s.endgameTable)
	ask(out, s, "opening", "Names the opening of a position, by the last named position of its game.", s.opening)
	add(out, s, "review_game",
		"Reviews one game in PGN: judges every move with the engine and returns the annotated PGN, accuracies and mistakes.",
		s.reviewGame)
	if s.Games != nil {
		ask(out, s, "games",
			"Says what was played in a position in the user's database of games, by whom and with what results.", s.games)
	}
	return out
}

// add adds a tool. An error of f becomes an error answer.
func add[In, Out any](to *sdk.Server, s *server, name, what string, f func(context.Context, In) (Out, error)) {
	closed := false // the tools reach nothing but this server
	sdk.AddTool(to, &sdk.Tool{Name: name, Description: what,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed}},
		func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer context.AfterFunc(s.ended, cancel)()
			defer cancel()
			out, err := f(ctx, in)
			return nil, out, err
		})
}

// ask adds a tool about a position. f gets a copy of it.
func ask[In interface{ name() string }, Out any](to *sdk.Server, s *server, name, what string,
	f func(context.Context, *chess.Position, In) (Out, error)) {
	add(to, s, name, what, func(ctx context.Context, in In) (out Out, err error) {
		p, err := s.find(in.name())
		if err != nil {
			return out, err
		}
		return f(ctx, p, in)
	})
}

// positionAnswer describes a position in an answer.
type positionAnswer struct {
	Position string `json:"position" jsonschema:"name of the position, for the other tools"`
	FEN      string `json:"fen"`
	Board    string `json:"board" jsonschema:"the board as text, White's pieces in capitals, rank 8 at the top"`
	Turn     string `json:"turn" jsonschema:"the side to move: white or black"`
	Check    bool   `json:"check" jsonschema:"whether the side to move is in check"`
	Outcome  string `json:"outcome" jsonschema:"whether and how the game is over"`
	Warning  string `json:"warning,omitempty" jsonschema:"what was dropped from the FEN, or assumed"`
}

// describe returns the description of a position.
func describe(name string, p *chess.Position) positionAnswer {
	return positionAnswer{name, p.FEN(), p.ASCII(), p.SideToMove().String(), p.InCheck(), p.Outcome().String(), ""}
}

// keep stores a position under a new name.
func (s *server) keep(p *chess.Position) positionAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	name := fmt.Sprintf("p%d", s.made)
	s.positions[name] = p
	s.names = append(s.names, name)
	s.plies += p.Plies()
	for len(s.names) > mostPositions || s.plies > mostPlies {
		s.plies -= s.positions[s.names[0]].Plies()
		delete(s.positions, s.names[0])
		s.names = s.names[1:]
	}
	return describe(name, p)
}

// find returns a copy of the position with a name.
func (s *server) find(name string) (*chess.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.positions[name]
	if p == nil {
		return nil, fmt.Errorf("position %.20q: unknown name; create a position with set_position", name)
	}
	return p.Clone(), nil
}

// named is the input of tools that need only a position.
type named struct {
	Position string `json:"position" jsonschema:"name of a position that set_position or play returned"`
}

func (n named) name() string { return n.Position }

type setPositionIn struct {
	FEN   string   `json:"fen,omitempty" jsonschema:"FEN, EPD or address of a position; without it, the start of the game"`
	Moves []string `json:"moves,omitempty" jsonschema:"moves from there, as e4, Nf3, O-O or e2e4, with or without numbers"`
}

func (s *server) setPosition(_ context.Context, in setPositionIn) (positionAnswer, error) {
	p, warning, err := chess.ReadPosition(cmp.Or(in.FEN, "startpos"))
	if err == nil {
		err = playAll(p, in.Moves)
	}
	if err != nil {
		return positionAnswer{}, err
	}
	out := s.keep(p)
	if warning != nil {
		out.Warning = warning.Error()
	}
	return out, nil
}

type playIn struct {
	named
	Moves []string `json:"moves" jsonschema:"moves to play, as e4, Nf3, O-O or e2e4, with or without numbers"`
}

func (s *server) play(_ context.Context, p *chess.Position, in playIn) (positionAnswer, error) {
	if err := playAll(p, in.Moves); err != nil {
		return positionAnswer{}, err
	}
	return s.keep(p), nil
}

// playAll plays moves. The error names the first illegal move and the reasons.
func playAll(p *chess.Position, moves []string) error {
	if len(moves) > mostMoves {
		return fmt.Errorf("%d moves, want at most %d", len(moves), mostMoves)
	}
	if n := p.Plies() + len(moves); n > mostGame {
		return fmt.Errorf("a game of %d moves, want at most %d; start a new one by set_position with a FEN", n, mostGame)
	}
	for i, text := range moves {
		err := p.PlayText(text)
		if wrong, ok := errors.AsType[*chess.MoveError](err); ok {
			if broken, unread := reasons(p, wrong.Text); unread == nil {
				err = fmt.Errorf("%q is not legal: %s", wrong.Text, strings.Join(broken, " "))
			}
			return fmt.Errorf("move %d of %d: %w; the position there is %s", i+1, len(moves), err, p.FEN())
		}
		if p.Plies() > mostGame {
			return fmt.Errorf("a game of %d moves, want at most %d", p.Plies(), mostGame)
		}
	}
	return nil
}

type legalMovesOut struct {
	positionAnswer
	Moves []string `json:"moves" jsonschema:"the legal moves in standard algebraic notation"`
}

func (s *server) legalMoves(_ context.Context, p *chess.Position, in named) (out legalMovesOut, err error) {
	out.positionAnswer, out.Moves = describe(in.Position, p), []string{}
	for _, m := range movegen.Legal(p, nil) {
		out.Moves = append(out.Moves, p.SAN(m))
	}
	return out, nil
}

type explainMoveIn struct {
	named
	Move string `json:"move" jsonschema:"the move, best as from and to square: e2e4, e7e8q"`
}

type explainMoveOut struct {
	positionAnswer
	Legal   bool     `json:"legal"`
	Reasons []string `json:"reasons" jsonschema:"the rules that an illegal move breaks"`
}

func (s *server) explainMove(_ context.Context, p *chess.Position, in explainMoveIn) (out explainMoveOut, err error) {
	broken, err := reasons(p, in.Move)
	if err != nil {
		return out, err
	}
	return explainMoveOut{describe(in.Position, p), len(broken) == 0, broken}, nil
}

// reasons returns the rules that a move breaks, none of one that can be played. Errors: a text that is no move.
func reasons(p *chess.Position, text string) ([]string, error) {
	out := []string{}
	e, err := lab.Explain(p, text)
	if err != nil {
		return nil, err
	}
	for _, r := range e.Reasons {
		out = append(out, r.Text)
	}
	if _, err := p.ReadMove(text); err != nil && e.Legal {
		out = append(out, fmt.Sprintf("The legal move is %s.", e.Move)) // of a pawn that becomes nothing
	}
	return out, nil
}

type openingOut struct {
	positionAnswer
	Known bool   `json:"known" jsonschema:"whether a position of the game has a name"`
	ECO   string `json:"eco,omitempty"`
	Name  string `json:"name,omitempty"`
}

func (s *server) opening(_ context.Context, p *chess.Position, in named) (out openingOut, err error) {
	o, ok := openings.OfGame(p)
	return openingOut{describe(in.Position, p), ok, o.ECO, o.Name}, nil
}
