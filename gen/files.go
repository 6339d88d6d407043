package main

import (
	"fmt"

	"github.com/tabula-chess/tabula/gen/kernel"
	"github.com/tabula-chess/tabula/internal/plural"
)

// generatedFile is one generated file.
type generatedFile struct {
	path string // from the root of the module, with slashes
	data []byte
}

// output is one emitter and the files it writes. A table has one file, but the magics have three: numbers, attack sets
// and the numbers for a page. A kernel in assembly has two, its Go stub and its assembly; one in WebAssembly has one.
type output struct {
	paths []string
	emit  func() ([][]byte, error) // as many results as paths
}

// outputs lists the tables and the kernels; typesFiles lists the other files that this command writes. The base name of
// every path begins with z.
var outputs = []output{
	{[]string{"tables/zleapers.go"}, one(leapers)},
	{[]string{"tables/zlines.go"}, one(lines)},
	{[]string{"tables/zrays.go"}, one(rays)},
	{[]string{"tables/zzobrist.go"}, one(zobrist)},
	{[]string{"tables/zcuckoo.go"}, one(cuckoo)},
	{[]string{"tables/zmagic.go", "tables/zsliders.go", "web/src/lab/zmagics.ts"}, magics},
	{[]string{"tables/zpext.go"}, one(pext)},
	{[]string{"movegen/zpawns.go"}, one(pawns)},
	{[]string{"openings/polyglot/zrandom.go"}, one(polyglot)},
	{[]string{"movegen/zpext_amd64.go", "movegen/zpext_amd64.s"}, kernel.ListPext},
	{[]string{"movegen/zavx512_amd64.go", "movegen/zavx512_amd64.s"}, kernel.ListAVX512},
	{[]string{"search/zprefetch_amd64.go", "search/zprefetch_amd64.s"}, kernel.Prefetch},
	{[]string{"search/zlargest_amd64.go", "search/zlargest_amd64.s"}, kernel.Largest},
	{[]string{"movegen/perft/zsquares.go"}, one(kernel.Squares)},
	{[]string{"movegen/perft/zneon_arm64.go", "movegen/perft/zneon_arm64.s"}, kernel.Neon},
	{[]string{"eval/nnue/zavx2_amd64.go", "eval/nnue/zavx2_amd64.s"}, kernel.NetworkAVX2},
	{[]string{"eval/nnue/zavx512_amd64.go", "eval/nnue/zavx512_amd64.s"}, kernel.NetworkAVX512},
	{[]string{"eval/nnue/zneon_arm64.go", "eval/nnue/zneon_arm64.s"}, kernel.NetworkNEON},
	{[]string{"web/engine/zkernels.mjs"}, kernel.NetworkWasm},
	{[]string{"train/fit/zavx2_amd64.go", "train/fit/zavx2_amd64.s"}, kernel.FitAVX2},
	{[]string{"train/fit/zavx512_amd64.go", "train/fit/zavx512_amd64.s"}, kernel.FitAVX512},
	{[]string{"movegen/perft/zavx512_amd64.go", "movegen/perft/zavx512_amd64.s"}, kernel.AVX512},
	{[]string{"movegen/perft/zavx2_amd64.go", "movegen/perft/zavx2_amd64.s"}, kernel.AVX2},
}

// one adapts an emitter of a single file.
func one(emit func() ([]byte, error)) func() ([][]byte, error) {
	return func() ([][]byte, error) {
		data, err := emit()
		return [][]byte{data}, err
	}
}

// generate runs all emitters and returns their files in the order of outputs, then
// the pages' types, which depend on the sources below root.
func generate(root string) ([]generatedFile, error) {
	var files []generatedFile
	for _, o := range outputs {
		data, err := o.emit()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.paths[0], err)
		}
		if len(data) != len(o.paths) {
			return nil, fmt.Errorf("%s: emitter wrote %s, want %d", o.paths[0], plural.Of(len(data), "file"), len(o.paths))
		}
		for i, path := range o.paths {
			files = append(files, generatedFile{path, data[i]})
		}
	}
	for _, f := range typesFiles {
		data, err := f.emit(root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		files = append(files, generatedFile{f.path, data})
	}
	return files, nil
}
