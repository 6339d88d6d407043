package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		low, high float64
		want      string
	}{
		{0.82, 1.17, "0.85 0.90 0.95 1.00 1.05 1.10 1.15"},
		{0, 0.7, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7"},
		{0, 0.141, "0.00 0.02 0.04 0.06 0.08 0.10 0.12 0.14"},
		{0, 4338, "0 1000 2000 3000 4000"},
		{-2000, 2000, "-2000 -1000 0 1000 2000"},
		{3, 3, "3"},
	} {
		var got []string
		for _, m := range Ticks(tt.low, tt.high) {
			got = append(got, m.Label)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%v to %v: %s, want %s", tt.low, tt.high, s, tt.want)
		}
	}
}

// TestTicksAreEven checks that marks are as far apart as their labels say.
func TestTicksAreEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		size := rapid.Float64Range(1e-3, 1e7).Draw(t, "size")
		marks := Ticks(low, low+size)
		if len(marks) < 3 || len(marks) > 11 {
			t.Fatalf("%d marks", len(marks))
		}
		for i, m := range marks {
			told, err := strconv.ParseFloat(m.Label, 64)
			if err != nil || math.Abs(told-m.Value) > 1e-6*size || m.Value < low-1e-6*size || m.Value > low+size*(1+1e-6) {
				t.Fatalf("mark %d at %v is called %s", i, m.Value, m.Label)
			}
		}
	})
}

// TestSVG: both kinds of chart are well formed, and names may hold any character.
func TestSVG(t *testing.T) {
	var bars, lines strings.Builder
	if err := Bars(&bars, "Speed <fast>", "a & b", []Bar{{"a<b", 3, 2, 4, "3 · 1.00×", 0}, {"c", 30, 20, 40, "30", 1}}, "linear & note"); err != nil {
		t.Fatal(err)
	}
	if err := Lines(&lines, "Loss", "x", "y", Series{"training", []float64{1, 2}, []float64{0.2, 0.1}}, Series{"held out", nil, nil}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{bars.String(), lines.String()} {
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
		}
	}
	for _, want := range []string{"a&lt;b", "3 · 1.00×", "prefers-color-scheme: dark", ">linear &amp; note<", `d="M120.0 40.0V100.0"`} {
		if !strings.Contains(bars.String(), want) {
			t.Errorf("no %q in\n%s", want, bars.String())
		}
	}
	var below strings.Builder
	if err := Lines(&below, "Elo", "stage", "Elo", Series{"all", []float64{0, 2}, []float64{-400, -100}}); err != nil {
		t.Fatal(err)
	}
	// 420 Elo are 320 pixels, with zero at the top, 40.
	for _, want := range []string{">-400<", ">0<", `d="M60.0 344.8L700.0 116.2"`} {
		if !strings.Contains(below.String(), want) {
			t.Errorf("no %q in\n%s", want, below.String())
		}
	}
	if err := Lines(io.Discard, "Loss", "x", "y", Series{"training", nil, nil}); err == nil {
		t.Error("a chart without points: no error")
	}
}
