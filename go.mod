module github.com/tabula-chess/tabula

go 1.26.0

require (
	github.com/coder/websocket v1.8.15 // WebSocket of the page's server
	github.com/dave/jennifer v1.7.1 // gen and train wdl: writes Go source, with its imports and build constraints
	github.com/google/go-cmp v0.7.0 // tests: differences of values
	github.com/klauspost/compress v1.20.3 // PGN files packed by zstd; packs the page
	github.com/klauspost/cpuid/v2 v2.4.2 // which instructions the processor has
	github.com/mmcloughlin/avo v0.6.0 // gen: writes amd64 assembly
	github.com/modelcontextprotocol/go-sdk v1.8.0 // protocol of tabula mcp
	github.com/rogpeppe/go-internal v1.16.0 // tests: scripts of UCI sessions
	github.com/urfave/cli/v3 v3.14.0 // command lines of all programs
	go.yaml.in/yaml/v3 v3.0.5 // tests: the configuration of lichess-bot
	golang.org/x/arch v0.32.0 // tests: takes generated arm64 code apart
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // benchstat, and its reader of benchmark results
	golang.org/x/sys v0.49.0 // whether a pipe still has a reader
	golang.org/x/term v0.47.0 // width of the terminal
	pgregory.net/rapid v1.3.0 // tests: properties on random values
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/time v0.16.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

tool golang.org/x/perf/cmd/benchstat
