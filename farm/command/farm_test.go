package command

import (
	"testing"
	"time"
)

// TestFolds shows that runs come to what one process alone makes of them,
// whatever the workers, the copies and what a job hangs on.
func TestFolds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		workers int
		jobs    int
		params  toyParams
	}{
		{"one worker", 1, 50, toyParams{}},
		{"three workers", 3, 100, toyParams{}},
		{"two copies, two workers", 2, 100, toyParams{Copies: 2}},
		{"two copies, one worker", 1, 20, toyParams{Copies: 2}},
		{"two copies, five workers", 5, 100, toyParams{Copies: 2}},
		{"files", 2, 10, toyParams{File: 1200 << 10}},
		{"learning", 3, 60, toyParams{Window: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			times := patient(time.Minute)
			if tt.workers == 1 {
				times = fast() // to learn soon that it is alone
			}
			f := newFarmAt(t, toyOpener, times)
			for range tt.workers {
				f.worker(2, nil)
			}
			m := toyManifest(t, tt.jobs, tt.params)
			st := f.carryOut(m)
			if want := toyAlone(t, m); st.Text != want || !st.Done {
				t.Errorf("%s, want %s", st.Text, want)
			}
			if alone := tt.workers == 1 && tt.params.Copies == 2; (st.Alone > 0) != alone {
				t.Errorf("%d of %d jobs were vouched for by one worker", st.Alone, tt.jobs)
			}
		})
	}
}
