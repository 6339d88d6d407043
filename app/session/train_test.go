package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestTraining learns what a review found, tries moves, and goes on in another service, as after a restart.
func TestTraining(t *testing.T) {
	home := filepath.Join(t.TempDir(), "new")
	b := start(t, Config{Home: home, Shared: true})
	reviewed := result[Reviewed](t, b, `{"id":1,"do":"review","limits":{"nodes":20000},"pgn":`+quoted(scholar)+`}`)
	if empty := result[Training](t, b, `{"id":1,"do":"exercise"}`); !empty.Kept || empty.Exercise != nil || empty.Due != 0 {
		t.Errorf("before the first one: %+v", empty)
	}
	learn := func(side string) Learned {
		return result[Learned](t, b, fmt.Sprintf(`{"id":1,"do":"learn","pgn":%[2]s%[1]s}`, side, quoted(reviewed.Exercises)))
	}
	const side = `,"side":"black"`
	black := learn(side)
	if black.Added == 0 || learn(side).Added != 0 || len(black.Errors) > 0 {
		t.Fatalf("learned %+v of\n%s", black, reviewed.Exercises)
	}
	all := learn("")
	b = start(t, Config{Home: home, Shared: true})
	state := result[Training](t, b, `{"id":1,"do":"exercise"}`)
	if state.Due != all.Total || state.Boxes[0] != all.Total || state.Exercise == nil || state.Exercise.Side != "black" || state.Exercise.White != "A" {
		t.Fatalf("%+v, %+v", state, state.Exercise)
	}
	var nf6 *jsonExercise // allows mate in one
	for state.Exercise != nil {
		if strings.HasPrefix(state.Exercise.Key, "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3") {
			nf6 = state.Exercise
			break
		}
		result[Learned](t, b, `{"id":1,"do":"forget","key":`+quoted(state.Exercise.Key)+`}`)
		state = result[Training](t, b, `{"id":1,"do":"exercise"}`)
	}
	if nf6 == nil || nf6.Motif != "allows mate" {
		t.Fatalf("no exercise from Nf6: %+v", nf6)
	}
	try := func(move string) Attempt {
		return result[Attempt](t, b, fmt.Sprintf(`{"id":1,"do":"try","key":%q,"move":%q,"limits":{"nodes":20000}}`, nf6.Key, move))
	}
	if wrong := try("Nf6"); wrong.Right || wrong.Move.Refutation == nil || wrong.Move.Refutation.SAN[0] != "Qxf7#" || wrong.Answer != nil {
		t.Errorf("the mistake again: %+v", wrong)
	}
	if right := try("g6"); !right.Right || right.Answer == nil || right.Answer.Box != 1 || right.Answer.Played.SAN != "Nf6" || right.Answer.Score == nil {
		t.Errorf("g6: %+v", right)
	}
	if again := result[Training](t, b, `{"id":1,"do":"exercise","key":`+quoted(nf6.Key)+`}`); again.Exercise.Box != 1 || again.Exercise.Due == "" {
		t.Errorf("solved: %+v", again.Exercise)
	}
	if more := try("Qe7"); !more.Right || more.Answer.Box != 1 { // before its day it is no step
		t.Errorf("Qe7: %+v", more)
	}
	try("Nf6")
	result[Answer](t, b, `{"id":1,"do":"answer","key":`+quoted(nf6.Key)+`}`)
	if still := result[Training](t, b, `{"id":1,"do":"exercise","key":`+quoted(nf6.Key)+`}`).Exercise; still.Box != 1 || still.Wrong != 0 {
		t.Errorf("not due, a wrong move and the answer: %+v", still)
	}
	text := result[Written](t, b, `{"id":1,"do":"exercises"}`).Text
	yesterday := time.Now().AddDate(0, 0, -1).Format(dayForm)
	kit.Write(t, filepath.Join(home, "exercises.pgn"), []byte(strings.ReplaceAll(text, `[Due "2`, `[Due "`+yesterday+`"] [Was "2`)))
	if shown := result[Answer](t, b, `{"id":1,"do":"answer","key":`+quoted(nf6.Key)+`}`); shown.Box != 1 || shown.Due <= yesterday || shown.Line == "" {
		t.Errorf("shown: %+v", shown)
	}
	if gone := result[Learned](t, b, `{"id":1,"do":"forget"}`); gone.Total != 0 {
		t.Errorf("all forgotten: %+v", gone)
	}
}

// TestTrainingFull has more exercises than can be added: none is added, and those that are there can be forgotten.
func TestTrainingFull(t *testing.T) {
	home := t.TempDir()
	b := start(t, Config{Home: home})
	var text strings.Builder
	exercise := func(n int) string { // a knight on each of five ranks tells a digit of n
		ranks := ""
		for _, knight := range "nnnnN" {
			ranks += strings.TrimLeft(fmt.Sprintf("%d%c%d/", n%8, knight, 7-n%8), "0")
			n /= 8
		}
		return fmt.Sprintf("[FEN \"7k/%s8/K7 w - - 0 1\"]\n\n1. Kb1 *\n\n", strings.ReplaceAll(ranks, "0", ""))
	}
	for n := range maxExercises + 1 {
		text.WriteString(exercise(n))
	}
	kit.Write(t, filepath.Join(home, exercisesName), []byte(text.String()))
	if more := ask(t, b, `{"id":1,"do":"learn","pgn":`+quoted(exercise(maxExercises+1))+`}`)[0].Error; more == nil || !strings.Contains(more.Reason, exercisesName+" would have 10002 exercises") {
		t.Errorf("one more: %+v", more)
	}
	key := result[Training](t, b, `{"id":1,"do":"exercise"}`).Exercise.Key
	if left := result[Learned](t, b, `{"id":1,"do":"forget","key":`+quoted(key)+`}`); left.Total != maxExercises {
		t.Errorf("one less: %+v", left)
	}
}

// TestTrainingRefused asks for what is not there; a file that cannot be read stays as it is.
func TestTrainingRefused(t *testing.T) {
	none := start(t, Config{})
	if state := result[Training](t, none, `{"id":1,"do":"exercise"}`); state.Kept {
		t.Errorf("kept nowhere: %+v", state)
	}
	home := t.TempDir()
	b := start(t, Config{Home: home})
	for _, service := range []*Service{none, b} {
		for request, field := range map[string]string{
			`{"id":1,"do":"try","key":"x","move":"e4"}`: "key", `{"id":1,"do":"try","key":"","move":"e4"}`: "key", `{"id":1,"do":"answer"}`: "key",
			`{"id":1,"do":"answer","key":"x"}`: "key", `{"id":1,"do":"forget","key":"x"}`: "key", `{"id":1,"do":"learn","side":"red"}`: "side",
			`{"id":1,"do":"try","key":"x","move":"e4","limits":{"nodes":0}}`: "limits.nodes",
		} {
			if wrong := ask(t, service, request)[0].Error; wrong == nil || wrong.Field != field || wrong.Reason == "" {
				t.Errorf("%s: %+v", request, wrong)
			}
		}
	}
	const twin = "[FEN \"6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1\"]\n\n1. Rb8# *\n\n"
	kit.Write(t, filepath.Join(home, exercisesName), []byte(twin+twin))
	if left := result[Learned](t, b, `{"id":1,"do":"learn","pgn":`+quoted(strings.ReplaceAll(strings.ReplaceAll(twin, "1R4K1", "2R3K1"), "Rb8", "Rc8"))+`}`); left.Total != 2 {
		t.Errorf("a file with an exercise twice: %+v", left)
	}
	const good = "[FEN \"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\"]\n\n1. Ra8# *\n\n"
	mixed := result[Learned](t, b, `{"id":1,"do":"learn","pgn":`+quoted("1. e4 *\n\n"+good+"1. e4 Ke4 *\n\n")+`}`)
	if mixed.Added != 1 || len(mixed.Errors) != 2 {
		t.Errorf("%+v, want the one exercise and two errors", mixed)
	}
	if wrong := ask(t, b, `{"id":1,"do":"try","key":"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - -","move":"Ra9"}`)[0].Error; wrong == nil || wrong.Field != "move" {
		t.Errorf("a move that there is not: %+v", wrong)
	}
	name := filepath.Join(home, "exercises.pgn")
	kit.Write(t, name, []byte(good+"1. e4 *\n"))
	if wrong := ask(t, b, `{"id":1,"do":"forget"}`)[0].Error; wrong == nil || !strings.Contains(wrong.Reason, "game 2") {
		t.Errorf("a damaged file: %+v", wrong)
	}
	if state := result[Training](t, b, `{"id":1,"do":"exercise"}`); state.Exercise == nil {
		t.Error("a damaged file: the exercise that can be read is not shown")
	}
	if out := result[Written](t, b, `{"id":1,"do":"exercises"}`); out.Text != good+"1. e4 *\n" {
		t.Errorf("a damaged file is exported as %q", out.Text)
	}
	text, err := os.ReadFile(name)
	kit.Succeed(t, err)
	if string(text) != good+"1. e4 *\n" {
		t.Errorf("the damaged file is now %q", text)
	}
}
