package protocol

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// faultArgument makes the test binary a UCI engine with the fault behind it, none for a sound one.
const faultArgument = "fault="

func TestMain(m *testing.M) {
	if fault, ok := strings.CutPrefix(append(os.Args, "")[1], faultArgument); ok {
		fault = strings.ReplaceAll(fault, "_", " ")
		if len(os.Args) > 2 && os.Args[2] == "bench" {
			fmt.Println(map[bool]int{true: rand.IntN(1 << 40), false: 12345}[fault == "counts another bench each time"], "nodes 1000 nps")
			return
		}
		(&engine{fault: fault, multiPV: 1, board: chess.NewPosition()}).serve()
		return
	}
	os.Exit(m.Run())
}

// engine is a plain engine: it counts men to a depth of at most three, and one switch a fault makes it wrong.
type engine struct {
	fault    string
	board    *chess.Position
	chess960 bool
	multiPV  int
	nodes    int
	stop     chan struct{} // closed at stop and ponderhit
	over     chan struct{} // closed when the search has answered
	leak     [][]byte
	games    int
}

// is reports whether the engine has one of the faults.
func (e *engine) is(faults ...string) bool { return slices.Contains(faults, e.fault) }

func (e *engine) serve() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		words := strings.Fields(line)
		switch {
		case e.is("splits at blanks"):
			words = strings.Split(strings.TrimRight(line, "\r\n"), " ")
		case e.is("wants no CR"):
			words = strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n", r) })
		}
		for len(words) > 1 && !slices.Contains(strings.Fields("uci isready setoption ucinewgame position go stop ponderhit quit"), words[0]) &&
			!e.is("knows no joho") {
			words = words[1:]
		}
		if len(words) > 0 && !e.obey(words) {
			return
		}
	}
	if e.is("outlives its input") {
		time.Sleep(time.Minute)
	}
}

// searching reports whether a search runs.
func (e *engine) searching() bool {
	select {
	case <-e.over:
		return false
	default:
		return e.over != nil
	}
}

func (e *engine) obey(words []string) bool {
	switch words[0] {
	case "uci":
		e.introduce()
	case "isready":
		if !(e.is("is not ready in a search") && e.searching()) {
			fmt.Println("readyok")
		}
	case "ucinewgame":
		e.games++
		if e.is("leaks") {
			e.leak = append(e.leak, slices.Repeat([]byte{byte(e.games)}, 200<<10))
		}
	case "setoption":
		e.set(words)
	case "position":
		e.position(words[1:])
	case "stop", "ponderhit":
		if e.searching() && !(words[0] == "ponderhit" && e.is("hangs after ponderhit")) {
			close(e.stop)
			<-e.over
		} else if words[0] == "stop" && e.is("answers stop twice") {
			fmt.Println("bestmove e2e4")
		}
	case "go":
		if e.searching() {
			close(e.stop)
			<-e.over
		}
		e.stop, e.over = make(chan struct{}), make(chan struct{})
		go e.search(words[1:], e.board.Clone(), e.stop, e.over)
	case "quit":
		if e.is("does not quit") {
			time.Sleep(time.Minute)
		}
		return false
	case "xyzzy":
		if e.is("ends at what it does not know") {
			panic("what?")
		}
	}
	return true
}

func (e *engine) introduce() {
	if e.is("mute") {
		time.Sleep(time.Minute)
	}
	if e.is("floods") {
		for {
			fmt.Println("info string", strings.Repeat("x", 1000))
		}
	}
	fmt.Println("id name Plain")
	if !e.is("has no author") {
		fmt.Println("id author nobody")
	}
	hash := "16"
	if e.is("default out of range") {
		hash = "2000"
	}
	fmt.Println("option name Hash type spin default " + hash + " min 1 max 1024\noption name Clear Hash type button\n" +
		"option name Ponder type check default false\noption name MultiPV type spin default 1 min 1 max 9\n" +
		"option name UCI_Chess960 type check default false\noption name Style of play type combo default Solid var Solid var Wild")
	switch {
	case e.is("declares twice"):
		fmt.Println("option name hash type spin default 1 min 1 max 2")
	case e.is("no type"):
		fmt.Println("option name Contempt default 0")
	case e.is("wrong choice"):
		fmt.Println("option name Book type combo default None var A var B")
	case e.is("prints binary"):
		fmt.Println("\x00\xff\x01")
	case e.is("endless line"):
		fmt.Println(strings.Repeat("x", 2<<20))
	case e.is("banner"):
		fmt.Println("Welcome to Plain!")
	}
	fmt.Println("uciok")
}

func (e *engine) set(words []string) {
	line := strings.Join(words, " ")
	switch {
	case strings.Contains(line, "name UCI_Chess960 value "):
		e.chess960 = strings.HasSuffix(line, "true")
	case strings.Contains(line, "name MultiPV value "):
		fmt.Sscan(words[len(words)-1], &e.multiPV)
	case e.is("ends at an option") && strings.Contains(line, "Wild"), e.is("ends at setoption in a search") && e.searching():
		panic("option")
	}
}

func (e *engine) position(words []string) {
	p, moves := chess.NewPosition(), slices.Index(append(words, "moves"), "moves")
	if words[0] == "fen" {
		q, err := chess.ParseFEN(strings.Join(words[1:moves], " "))
		switch {
		case err != nil && e.is("ends at a bad FEN"):
			panic(err)
		case err != nil:
			return
		}
		p = q
	}
	for i := moves + 1; i < len(words); i++ {
		m, err := p.ParseUCI(words[i])
		switch {
		case err != nil && e.is("ends at an illegal move"), e.is("has room for 1,024 plies") && i > 1026:
			panic(fmt.Sprint(err))
		case err != nil:
			return
		}
		if e.is("forgets repetitions") {
			p.Make(m)
			p, _ = chess.ParseFEN(p.FEN())
			continue
		}
		p.Make(m)
	}
	if !(e.is("keeps the old position") && p.Occupied().Count() < 8) {
		e.board = p
	}
}

// search answers a go command.
func (e *engine) search(words []string, p *chess.Position, stop, over chan struct{}) {
	defer close(over)
	limits, moves, only := map[string]int{}, movegen.Legal(p, nil), []chess.Move(nil)
	for i, word := range words {
		if n, err := strconv.Atoi(word); err == nil && i > 0 {
			limits[words[i-1]] = n
		} else if m, err := p.ParseUCI(word); err == nil && !e.is("ignores searchmoves") {
			only = append(only, m)
		}
	}
	if len(only) > 0 {
		moves = only
	}
	if e.is("ends in a search") && p.Plies() == 1 {
		fmt.Fprintln(os.Stderr, "assertion failed")
		os.Exit(3)
	}
	depth := 3
	if d := limits["depth"]; d > 0 && d < depth || p.Occupied().Count() > 12 {
		depth = min(2, max(d, 1))
	}
	e.nodes = 0
	lines := e.lines(p, moves, depth)
	if e.is("counts other nodes each time") {
		e.nodes += rand.IntN(1000)
	}
	e.report(p, lines, limits)
	endless, ponder := len(limits) == 0 || slices.Contains(words, "infinite"), slices.Contains(words, "ponder")
	mate := len(lines) > 0 && lines[0].score > 9000
	clock, timed := limits[[...]string{"wtime", "btime"}[p.SideToMove()]]
	ms := limits["movetime"] / 2
	switch {
	case ponder && e.is("answers ponder"), endless && mate && e.is("answers infinite at a mate"):
	case endless, ponder, limits["mate"] > 0 && e.is("never ends go mate"), timed && clock <= 0 && e.is("waits for a clock below zero"),
		len(moves) == 0 && e.is("is silent at the end"), limits["nodes"] == 1 && e.is("waits for one node"):
		<-stop
		if e.is("is slow to stop") {
			time.Sleep(1500 * time.Millisecond)
		}
		if len(moves) == 0 && e.is("is silent at the end") {
			return
		}
	case e.is("oversteps its clock") && clock >= 100:
		ms = clock + 1500
	case e.is("thinks for its increment") && limits["winc"] > 1000:
		ms = limits["winc"]
	case e.is("steps over movetime") && limits["movetime"] >= 100:
		ms = limits["movetime"] + 1500
	}
	select {
	case <-stop:
	case <-time.After(time.Duration(ms) * time.Millisecond):
	}
	e.answer(p, lines, limits)
}

// report prints the lines.
func (e *engine) report(p *chess.Position, lines []variation, limits map[string]int) {
	depth := max(1, limits["depth"])
	switch {
	case e.is("goes too deep"):
		depth++
	case e.is("stops too early") && depth > 2:
		depth--
	case e.is("steps over nodes") && limits["nodes"] > 1000:
		e.nodes = 3 * limits["nodes"]
	case limits["nodes"] > 0:
		e.nodes = min(e.nodes, limits["nodes"])
	case e.is("shows another currmove"):
		fmt.Println("info currmove e4e4 currmovenumber 1")
	case len(lines) == 0 && p.InCheck():
		fmt.Println("info depth 0 score mate 0")
	case len(lines) == 0 && e.is("thinks stalemate is worth a pawn"):
		fmt.Println("info depth 0 score cp 100")
	}
	shown := lines[:min(len(lines), e.multiPV)]
	if e.is("forgets a line") && len(shown) > 2 {
		shown = shown[:len(shown)-1]
	}
	for i, v := range shown {
		if e.is("shows a line twice") && i == 1 {
			v = lines[0]
		} else if e.is("has lines in any order") && len(shown) > 1 && i < 2 {
			v = lines[min(len(lines)-1, 9)*(1-i)]
		}
		if e.is("gives no score") {
			fmt.Println("info depth", depth)
			continue
		}
		fmt.Printf("info depth %d multipv %d score %s nodes %d nps 1000 pv%s\n", depth, i+1, e.score(p, v), e.nodes, e.text(p, v))
	}
	if e.is("fills its table beyond the brim") {
		fmt.Println("info hashfull 2000")
	}
}

// score writes the score of a line.
func (e *engine) score(p *chess.Position, v variation) string {
	plies := len(v.moves)
	if e.is("scores from White's side") && p.SideToMove() == chess.Black {
		v.score = -v.score
	}
	switch {
	case e.is("claims mates that are none") && v.score >= 0 && v.score < 9000:
		return "mate 1"
	case max(v.score, -v.score) > 9000 && e.is("counts mates in plies"):
		return fmt.Sprint("mate ", plies)
	case v.score > 9000:
		return fmt.Sprint("mate ", (plies+1)/2)
	case v.score < -9000:
		return fmt.Sprint("mate -", plies/2)
	case e.is("gives bounds only"):
		return fmt.Sprintf("cp %d lowerbound", 100*v.score)
	case e.is("writes scores in pawns"):
		return fmt.Sprintf("cp %d.00", v.score)
	}
	return fmt.Sprint("cp ", 100*v.score)
}

// text writes the moves of a line.
func (e *engine) text(p *chess.Position, v variation) (text string) {
	moves := v.moves
	if e.is("shows one move of a line") && len(moves) > 1 {
		moves = moves[:1]
	}
	p = p.Clone()
	for _, m := range moves {
		text += " " + e.move(p, m)
		p.Make(m)
	}
	if more := movegen.Legal(p, nil); e.is("goes on after a draw") && p.Outcome() != chess.Ongoing && len(more) > 0 {
		text += " " + e.move(p, more[0])
	}
	if e.is("shows an illegal move") {
		text += " e1e8"
	}
	return text
}

// move writes a move.
func (e *engine) move(p *chess.Position, m chess.Move) string {
	text := m.String()
	if !e.chess960 || e.is("castles as in standard chess") && m.Kind() == chess.Castling {
		text = p.UCI(m)
		if m.Kind() == chess.Castling {
			text = text[:2] + map[bool]string{true: "g", false: "c"}[m.To() > m.From()] + text[3:]
		}
	}
	if e.is("promotes to upper case") && m.Kind() == chess.Promotion {
		text = text[:4] + strings.ToUpper(text[4:])
	}
	return text
}

// answer prints the best move.
func (e *engine) answer(p *chess.Position, lines []variation, limits map[string]int) {
	if len(lines) == 0 {
		fmt.Println(map[bool]string{true: "bestmove a1a1", false: "bestmove (none)"}[e.is("moves where no move is legal")])
		return
	}
	v := lines[0]
	if e.is("plays another move than its line") && len(lines) > 1 {
		v = lines[1]
	}
	q, text := p.Clone(), "bestmove "+e.move(p, v.moves[0])
	switch q.Make(v.moves[0]); {
	case e.is("plays an illegal move") && q.Occupied().Count() > 20, e.is("has no move in no time") && limits["movetime"] == 1:
		text = "bestmove a1a1"
	case e.is("ponders on an illegal move"):
		text += " ponder " + e.move(p, v.moves[0])
	case len(v.moves) > 1:
		text += " ponder " + e.move(q, v.moves[1])
	}
	fmt.Println(text)
	switch {
	case e.is("answers twice"):
		fmt.Println(text)
	case e.is("goes on after its answer"):
		fmt.Println("info depth 9 score cp 12")
	}
}

// variation is a line with its score, in pawns or as 10000 less the plies to mate.
type variation struct {
	score int
	moves []chess.Move
}

// lines returns the line of each move, the best first.
func (e *engine) lines(p *chess.Position, moves []chess.Move, depth int) (all []variation) {
	for _, m := range moves {
		p.Make(m)
		v := e.look(p, depth-1)
		p.Unmake()
		all = append(all, variation{-v.score, append([]chess.Move{m}, v.moves...)})
	}
	slices.SortStableFunc(all, func(a, b variation) int { return b.score - a.score })
	return all
}

// look searches p: men only at the end of the depth, and mates and draws.
func (e *engine) look(p *chess.Position, depth int) variation {
	e.nodes++
	drawn := p.Outcome()
	switch {
	case !p.HasLegalMove() && p.InCheck():
		return variation{score: -10000 + p.Plies()} // from the root on, and the game before it
	case drawn == chess.FiftyMoves && e.is("forgets fifty moves"):
	case drawn != chess.Ongoing:
		return variation{}
	}
	if depth == 0 || e.nodes > 4000 { // nothing else ends a search
		score := 0
		for kind, value := range map[chess.PieceType]int{chess.Pawn: 1, chess.Knight: 3, chess.Bishop: 3, chess.Rook: 5, chess.Queen: 9} {
			us := p.SideToMove()
			score += value * (p.Pieces(us, kind).Count() - p.Pieces(us.Other(), kind).Count())
		}
		return variation{score: score}
	}
	best := variation{score: -20000}
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		if v := e.look(p, depth-1); -v.score > best.score {
			best = variation{-v.score, append([]chess.Move{m}, v.moves...)}
		}
		p.Unmake()
	}
	return best
}
