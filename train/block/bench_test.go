package block

import "testing"

// BenchmarkForms packs and reads blocks of the games in TABULA_SHARED in every
// form, on one thread.
func BenchmarkForms(b *testing.B) {
	f := sharedGames(b)
	var games Block
	if err := f.Read(len(f.Entries)/2, &games); err != nil {
		b.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		form Form
	}{{"rounded", Rounded}, {"exact", Exact}, {"fast", Fast}} {
		p := Packer{Form: tt.form}
		for id, g := range games.Games() {
			p.Add(id, g)
		}
		var packed Block
		var err error
		if packed.stored, err = p.encode(nil); err != nil {
			b.Fatal(err)
		}
		if packed.Header, err = parseHeader(packed.stored); err != nil {
			b.Fatal(err)
		}
		packed.stored = packed.stored[headerSize:]
		measure := func(name string, work func() error) {
			b.Run(tt.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if err := work(); err != nil {
						b.Fatal(err)
					}
				}
				positions := float64(games.Header.Positions)
				b.ReportMetric(positions*float64(b.N)/b.Elapsed().Seconds(), "positions/s")
				b.ReportMetric(float64(packed.Header.Stored())/positions, "bytes/position")
			})
		}
		measure("read", packed.expand)
		measure("write", func() error { _, err := p.encode(nil); return err })
	}
}
