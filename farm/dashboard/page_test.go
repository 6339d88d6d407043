package dashboard

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/coordinator"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
)

// sample is a board with a run that goes on, one that failed and two workers.
func sample() *Board {
	b := NewBoard()
	at := time.Unix(1000, 0)
	b.now = func() time.Time { return at }
	for n := range 1000 {
		b.Report(coordinator.Status{Run: "aaaa", Kind: "match", Jobs: 1000, Agreed: n, Text: "<b>score</b>",
			Numbers: []run.Number{{Name: "llr", Value: float64(n)}},
			Speeds:  map[string]*coordinator.Speed{"UA": {Host: "one", Units: float64(10 * n)}}})
		at = at.Add(time.Second)
	}
	b.Report(coordinator.Status{Run: "0bbb", Kind: "perft", Jobs: 5, Failed: "all broken", Dead: []int{3}})
	b.Hear(link.Alive{Worker: "UQ", Host: "quiet"})
	at = at.Add(time.Minute)
	b.Hear(link.Alive{Worker: "UA", Host: "one", Cores: 4, Spool: 2, Running: []run.Job{{Run: "aaaa", Index: 7}}})
	return b
}

func TestPage(t *testing.T) {
	s := httptest.NewServer(sample().Handler(true))
	defer s.Close()
	for path, want := range map[string][]string{
		"/": {"match aaaa", "999 of 1000", "&lt;b&gt;score", "FAILED: all broken", "ALARM: 1 jobs given up", "<polyline", "units a second", "SILENT for 1m0s",
			"aaaa job 7", "2 results wait"},
		"/metrics": {`tabula_farm_jobs{run="aaaa",kind="match",state="agreed"} 999`, `tabula_farm_number{run="aaaa",kind="match",name="llr"} 999`,
			`tabula_farm_units_total{run="aaaa",worker="UA",host="one"} 9990`, `tabula_farm_spool{worker="UA",host="one"} 2`, "tabula_farm_workers 2"},
	} {
		answer, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("%s: %v, %s", path, err, answer.Status)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s lacks %q:\n%s", path, w, text)
			}
		}
	}
	for _, path := range []string{"/", "/metrics"} {
		request, err := http.NewRequest("GET", s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "evil.example"
		answer, err := s.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("%s by the name of a stranger: %s", path, answer.Status)
		}
	}
	answer, err := s.Client().Post(s.URL+"/", "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 405 {
		t.Errorf("POST: %s, want 405: the page is read-only", answer.Status)
	}
}

// TestPoints shows that plots stay small and keep their ends.
func TestPoints(t *testing.T) {
	v := sample().view()
	for name, all := range v.Runs[0].Points {
		if len(all) > maxPoints+1 || len(all) < maxPoints/4 || all[len(all)-1].seconds < 990 {
			t.Errorf("%s: %d points to %.0f s", name, len(all), all[len(all)-1].seconds)
		}
	}
	var b strings.Builder
	if err := sample().Text(&b); err != nil || !strings.Contains(b.String(), "999/1000") {
		t.Errorf("%v\n%s", err, &b)
	}
}

// TestBoard shows the order of runs and workers and what is said of each; a worker
// that leaves goes.
func TestBoard(t *testing.T) {
	b := NewBoard()
	at := time.Unix(1000, 0)
	b.now = func() time.Time { return at }
	b.Report(coordinator.Status{Run: "0", Kind: "perft", Jobs: 5, Agreed: 5, Text: "zero", Done: true, Banned: map[string]string{"UX": "lied"}})
	b.Report(coordinator.Status{Run: "1", Kind: "match", Jobs: 5, Agreed: 1, Text: "one", Disputed: []int{1, 2}})
	b.Report(coordinator.Status{Run: "2", Kind: "match", Jobs: 5, Text: "two", Failed: "broken"})
	b.Hear(link.Alive{Worker: "UA", Host: "a", Cores: 2, Done: 3})
	b.Hear(link.Alive{Worker: "UB", Host: "b", Refuses: []string{"0: old"}, Failed: "no disk"})
	b.Hear(link.Alive{Worker: "UC", Host: "c"})
	b.Hear(link.Alive{Worker: "UC", Host: "c", Leaving: true})
	at = at.Add(silence)
	var text strings.Builder
	if err := b.Text(&text); err != nil {
		t.Fatal(err)
	}
	const want = `RUN  KIND   JOBS  WHERE IT STANDS
1    match  1/5   one; ALARM: on 2 jobs no two workers agree
0    perft  5/5   zero; done; 1 workers banned
2    match  0/5   two; FAILED: broken

WORKER  HOST  CORES  DONE  DOING
UA      a     2      3     
UB      b     0      0     0: old; last failure: no disk
`
	if text.String() != want {
		t.Errorf("%s\nwant\n%s", &text, want)
	}
	at = at.Add(1)
	if v := b.view(); v.Workers[0].Doing() != "SILENT for 30s" {
		t.Errorf("after %v: %q", silence+1, v.Workers[0].Doing())
	}
}

// TestSpeeds plots units a second since the last point, none below 0 where a hub has
// begun to count again.
func TestSpeeds(t *testing.T) {
	b := NewBoard()
	at := time.Unix(1000, 0)
	b.now = func() time.Time { return at }
	for i, units := range []float64{10, 16, 18, 0, 8} {
		b.Report(coordinator.Status{Run: "r", Numbers: []run.Number{{Name: "n", Value: units}}, Speeds: map[string]*coordinator.Speed{"U": {Units: units}}})
		if i == 1 { // too soon for another point
			b.Report(coordinator.Status{Run: "r", Numbers: []run.Number{{Name: "n", Value: 99}}, Speeds: map[string]*coordinator.Speed{"U": {Units: 99}}})
		}
		at = at.Add(2 * time.Second)
	}
	points := b.view().Runs[0].Points
	if want := []point{{2, 3}, {4, 1}, {6, 0}, {8, 4}}; !slices.Equal(points[speedOf+"U"], want) {
		t.Errorf("speeds %v, want %v", points[speedOf+"U"], want)
	}
	if want := []point{{0, 10}, {2, 16}, {4, 18}, {6, 0}, {8, 8}}; !slices.Equal(points["n"], want) {
		t.Errorf("numbers %v, want %v", points["n"], want)
	}
}
