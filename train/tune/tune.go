// Package tune fits the weights of the evaluation to positions with known
// results: logistic regression on the tapered sum of terms. Source: CPW
// "Texel's Tuning Method".
package tune

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// Config says how to fit.
type Config struct {
	Epochs  int
	Rate    float64 // step of the first epoch in centipawns
	Blend   float64 // weight of the result against the score of the search, 0 to 1
	Prior   float64 // how far weights are expected to move from the start, in centipawns
	Threads int
}

// Sample is one position as the fit sees it. The evaluation is linear in the
// weights, so their counts are all that is needed.
type Sample struct {
	counts []count
	phase  float32 // 0 to 1, middlegame
	scale  float32 // 0 to 1, of the endgame half
	score  float32 // of the search, centipawns, White's view
	result float32 // 1, 0.5, 0
}

// count is how often a weight counts in a position, White less Black.
type count struct {
	weight uint16
	n      int16
}

// batch is the number of positions between two steps of the weights.
const batch = 16384

// variance is that of a result around its expectation, times ten because the
// positions of one game share their result.
const variance = 0.36

// pairs returns every weight of w in order of declaration.
func pairs(w *eval.Weights) []*eval.Pair {
	var all []*eval.Pair
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		default:
			all = append(all, v.Addr().Interface().(*eval.Pair))
		}
	}
	walk(reflect.ValueOf(w).Elem())
	return all
}

// Read reads lines "FEN;score;result" and returns their samples in order.
// Counts are found by asking the evaluation with one weight at a time set to
// one: slow, but it cannot disagree with the evaluation.
func Read(r io.Reader, threads int) ([]Sample, error) {
	var lines []string
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	samples := make([]Sample, len(lines))
	errs := make([]error, threads)
	var wg sync.WaitGroup
	for t := range threads {
		wg.Go(func() {
			x := newExtractor()
			for i := t; i < len(lines); i += threads {
				s, err := x.sample(lines[i])
				if err != nil {
					errs[t] = fmt.Errorf("line %d: %w", i+1, err)
					return
				}
				samples[i] = s
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// extractor turns positions into samples.
type extractor struct {
	weights eval.Weights
	all     []*eval.Pair
	real    *eval.Evaluator // with the engine's weights, for phase and scale
	probe   *eval.Evaluator // with weights, all zero between calls
}

func newExtractor() *extractor {
	x := &extractor{real: eval.New()}
	x.all = pairs(&x.weights)
	x.probe = eval.NewWith(&x.weights)
	return x
}

// groupSize is the number of weights first tried together: most groups count
// for nothing in a position.
const groupSize = 12

// sample parses one line.
func (x *extractor) sample(line string) (s Sample, err error) {
	f := strings.Split(line, ";")
	if len(f) != 3 {
		return s, fmt.Errorf("%q: want FEN;score;result", line)
	}
	p, err := chess.ParseFEN(f[0])
	if err != nil {
		return s, err
	}
	score, err := strconv.Atoi(f[1])
	if err != nil {
		return s, fmt.Errorf("score: %w", err)
	}
	result, err := strconv.ParseFloat(f[2], 32)
	if err != nil {
		return s, fmt.Errorf("result: %w", err)
	}
	_, phase, scale := x.real.Terms(p)
	s.phase, s.scale = float32(phase)/eval.MaxPhase, float32(scale)/eval.FullScale
	s.score, s.result = float32(score), float32(result)
	for i := 0; i < len(x.all); i += groupSize {
		group := x.all[i:min(i+groupSize, len(x.all))]
		// Powers of three as weights: counts up to ±1 cannot cancel, and
		// larger ones hardly ever do.
		power := 1
		for _, w := range group {
			*w = eval.MakePair(power, 0)
			power = power * 3 % 9973
		}
		active := x.ask(p) != 0
		for _, w := range group {
			*w = 0
		}
		if !active {
			continue
		}
		for j, w := range group {
			*w = eval.MakePair(1, 0)
			if n := x.ask(p); n != 0 {
				s.counts = append(s.counts, count{uint16(i + j), int16(n)})
			}
			*w = 0
		}
	}
	return s, nil
}

// ask returns the middlegame sum of p under the current weights.
func (x *extractor) ask(p *chess.Position) int {
	x.probe.ForgetStructure(p)
	sum, _, _ := x.probe.Terms(p)
	return sum.Middle()
}

// model is the set of weights as numbers, middlegame and endgame.
type model [][2]float64

// value returns the evaluation of s in centipawns, White's view.
func (m model) value(s *Sample) float64 {
	var mg, eg float64
	for _, c := range s.counts {
		mg += float64(c.n) * m[c.weight][0]
		eg += float64(c.n) * m[c.weight][1]
	}
	return mg*float64(s.phase) + eg*float64(s.scale)*float64(1-s.phase)
}

// sigmoid turns centipawns into an expected result.
func sigmoid(cp, k float64) float64 { return 1 / (1 + math.Exp(-k*cp)) }

// target returns what the evaluation of s should predict.
func (s *Sample) target(blend, k float64) float64 {
	return blend*float64(s.result) + (1-blend)*sigmoid(float64(s.score), k)
}

// Steepness returns the factor between centipawns and the logistic curve that
// fits the scores of the search to the results best.
func Steepness(samples []Sample) float64 {
	low, high := 0.0005, 0.02
	loss := func(k float64) (sum float64) {
		for i := range samples {
			d := float64(samples[i].result) - sigmoid(float64(samples[i].score), k)
			sum += d * d
		}
		return sum
	}
	for range 40 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if loss(a) < loss(b) {
			high = b
		} else {
			low = a
		}
	}
	return (low + high) / 2
}

// Fit moves w towards the minimum of the squared error over samples with Adam
// steps on shuffled-in-place batches (samples should come in random order) and
// calls report after each epoch with the mean error. Source: Kingma and Ba,
// "Adam", 2015.
func Fit(w *eval.Weights, samples []Sample, c Config, report func(epoch int, loss float64)) {
	all := pairs(w)
	m := make(model, len(all))
	for i, p := range all {
		m[i] = [2]float64{float64(p.Middle()), float64(p.End())}
	}
	anchor := append(model(nil), m...)
	k := Steepness(samples)
	// Weights that few positions know stay near their start: the prior is a
	// normal distribution around it.
	pull := variance / (float64(len(samples)) * k * c.Prior * c.Prior)
	first, second := make(model, len(m)), make(model, len(m))
	step := 0
	for epoch := range c.Epochs {
		rate := c.Rate * (1 - 0.98*float64(epoch)/float64(c.Epochs))
		total := 0.0
		for at := 0; at < len(samples); at += batch {
			part := samples[at:min(at+batch, len(samples))]
			gradient, loss := m.gradient(part, c, k)
			total += loss
			step++
			for i := range m {
				for h := range 2 {
					g := gradient[i][h]/float64(len(part)) + pull*(m[i][h]-anchor[i][h])
					first[i][h] = 0.9*first[i][h] + 0.1*g
					second[i][h] = 0.999*second[i][h] + 0.001*g*g
					a := first[i][h] / (1 - math.Pow(0.9, float64(step)))
					b := second[i][h] / (1 - math.Pow(0.999, float64(step)))
					m[i][h] -= rate * a / (math.Sqrt(b) + 1e-8)
				}
			}
		}
		if report != nil {
			report(epoch+1, total/float64(len(samples)))
		}
	}
	for i, p := range all {
		*p = eval.MakePair(int(math.Round(m[i][0])), int(math.Round(m[i][1])))
	}
}

// gradient returns the summed gradient and loss over part.
func (m model) gradient(part []Sample, c Config, k float64) (model, float64) {
	threads := max(1, c.Threads)
	sums := make([]model, threads)
	losses := make([]float64, threads)
	var wg sync.WaitGroup
	for t := range threads {
		wg.Go(func() {
			sums[t] = make(model, len(m))
			for i := len(part) * t / threads; i < len(part)*(t+1)/threads; i++ {
				s := &part[i]
				predicted := sigmoid(m.value(s), k)
				diff := predicted - s.target(c.Blend, k)
				losses[t] += diff * diff
				// The factor 2k is left out: Adam does not see scale.
				d := diff * predicted * (1 - predicted)
				mg, eg := d*float64(s.phase), d*float64(s.scale)*float64(1-s.phase)
				for _, x := range s.counts {
					sums[t][x.weight][0] += float64(x.n) * mg
					sums[t][x.weight][1] += float64(x.n) * eg
				}
			}
		})
	}
	wg.Wait()
	for t := 1; t < threads; t++ {
		for i := range m {
			sums[0][i][0] += sums[t][i][0]
			sums[0][i][1] += sums[t][i][1]
		}
		losses[0] += losses[t]
	}
	return sums[0], losses[0]
}

// Error returns the mean squared error of w over samples.
func Error(w *eval.Weights, samples []Sample, c Config) float64 {
	all := pairs(w)
	m := make(model, len(all))
	for i, p := range all {
		m[i] = [2]float64{float64(p.Middle()), float64(p.End())}
	}
	_, loss := m.gradient(samples, c, Steepness(samples))
	return loss / float64(max(1, len(samples)))
}
