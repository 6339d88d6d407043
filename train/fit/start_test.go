package fit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// TestStart begins with a network and must be where that was left: the first
// loss is its loss.
func TestStart(t *testing.T) {
	config := small(32, 64)
	config.Epochs = 2
	checkStart(t, config)
	small := checkStart(t, layered(config))
	set := randomGames(t, 3, 40, 5)
	if _, err := NewFrom(config, set, small); err == nil || !strings.Contains(err.Error(), "small layers") {
		t.Errorf("a plain shape from a layered network: error %v, want one that speaks of small layers", err)
	}
	checkPairs(t, config)
}

// checkPairs begins layered networks with a plain one that has still to learn,
// whose neurons must become pairs.
func checkPairs(t *testing.T, config Config) {
	t.Helper()
	set := randomGames(t, 3, 40, 5)
	short := config
	short.Epochs = 0.2
	_, plain := fitted(t, short, set)
	same, err := NewFrom(config, set, plain)
	if err != nil {
		t.Fatal(err)
	}
	config = layered(config)
	tr, err := NewFrom(config, set, plain)
	if err != nil {
		t.Fatal(err)
	}
	width, half := plain.Shape().Width, config.Shape.Width/2
	params, words := slices.Clone(tr.params), plain.Weights().Features
	tr.layout.toRows(params)
	params = tr.layout.features.of(params)
	apart := 0
	for at := 0; len(words) > 0; at, words = at+2*half, words[width:] {
		for i, word := range words[:width] {
			a, b := float64(params[at+i]), float64(params[at+half+i])
			if math.Abs(a*nnue.QA-float64(word)) > 1e-3 || math.Abs(a-b) > 1/math.Sqrt(nnue.Inputs) {
				t.Fatalf("the pair of neuron %d has weights %v and %v, want both near %v", i, a, b, float64(word)/nnue.QA)
			}
			if a != b {
				apart++
			}
		}
	}
	if apart == 0 {
		t.Error("the neurons of all pairs are the same and will stay so")
	}
	before := tr.HeldLoss()
	if old := same.HeldLoss(); math.Abs(before-old) > old/50 {
		t.Errorf("held-out loss %v, want about %v as the plain network has", before, old)
	}
	a, b := same.workers[0], tr.workers[0]
	difference, largest := 0.0, 0.0
	for _, sample := range set.held {
		x, y := a.output(&sample), b.output(&sample)
		difference, largest = max(difference, math.Abs(x-y)), max(largest, math.Abs(x))
	}
	if !(difference < largest/10) {
		t.Errorf("outputs differ from the plain network's by %v at the most, which are as large as %v", difference, largest)
	}
	if err := tr.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if after := tr.HeldLoss(); !(after < before) {
		t.Errorf("held-out loss %v before the fit, %v after it", before, after)
	}
	kings := config
	kings.Shape.Kings, _ = ParseKings("4")
	for _, tt := range []struct {
		config Config
		start  *nnue.Network
		want   string
	}{{kings, plain, "king buckets"}, {config, checkStart(t, small(160, 64)), "neurons"}} {
		if _, err := NewFrom(tt.config, set, tt.start); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v from %v: error %v, want one that speaks of %s", tt.config.Shape, tt.start.Shape(), err, tt.want)
		}
	}
}

// fitted returns a trainer at the end of its fit, and its network.
func fitted(t *testing.T, config Config, set *Set) (*Trainer, *nnue.Network) {
	t.Helper()
	tr := newTrainer(t, config, set)
	if err := tr.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	net, err := tr.Network(nil)
	if err != nil {
		t.Fatal(err)
	}
	return tr, net
}

// checkStart does the work of TestStart for a shape and returns the network it
// began with.
func checkStart(t *testing.T, config Config) *nnue.Network {
	t.Helper()
	set := randomGames(t, 3, 40, 5)
	first, net := fitted(t, config, set)
	second, err := NewFrom(config, set, net)
	if err != nil {
		t.Fatal(err)
	}
	again, err := second.Network(nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(net.Weights(), again.Weights()); diff != "" {
		t.Errorf("weights of a network read into a trainer and written again (-want +got):\n%s", diff)
	}
	if a, b := first.HeldLoss(), second.HeldLoss(); math.Abs(a-b) > 0.05*a {
		t.Errorf("held-out loss %v at the end of the first fit, %v at the start of the second", a, b)
	}

	// More buckets of either kind, all copies of what there was.
	fine := config
	fine.Shape.Kings, _ = ParseKings("4")
	fine.Shape.Outputs *= 2
	third, err := NewFrom(fine, set, net)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := second.HeldLoss(), third.HeldLoss(); a != b {
		t.Errorf("held-out loss %v, with more buckets %v", a, b)
	}
	finer, err := third.Network(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewFrom(config, set, finer); err == nil {
		t.Error("fewer buckets than the start has: no error")
	}
	wide := fine
	wide.Shape.Width *= 2
	fourth, err := NewFrom(wide, set, net)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := second.HeldLoss(), fourth.HeldLoss(); math.Abs(a-b) > 1e-6*a {
		t.Errorf("held-out loss %v, with more neurons and buckets %v", a, b)
	}
	if err := fourth.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	still := 0
	heads := fourth.layout.heads.of(fourth.params)
	for _, v := range heads {
		if v == 0 {
			still++
		}
	}
	if still > len(heads)/5 { // a product of pairs that was never anything has no slope
		t.Errorf("%d of %d weights behind the first layer never moved", still, len(heads))
	}
	wider, err := fourth.Network(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewFrom(config, set, wider); err == nil {
		t.Error("a start of more neurons: no error")
	}
	return net
}
