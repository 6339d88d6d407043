# EXE, CC and EVALFILE are what OpenBench passes: make EXE=name CC=go. CC is the
# Go compiler there and must not reach cgo, so cgo is off.
EXE ?= tabula
SUFFIX := $(if $(filter %.exe,$(EXE)),,$(shell go env GOEXE))
# Build tags. The branch that OpenBench is to tune says tabula_tune here, which
# makes each number of the search an option.
TAGS ?=
# The level of x86-64 to compile for: v3 where this processor has it.
LEVEL := $(shell for f in avx2 bmi1 bmi2 fma movbe abm; do grep -qw $$f /proc/cpuinfo 2>/dev/null || { echo v1; exit; }; done; echo v3)

.DEFAULT_GOAL := build
.PHONY: help test ci build tools trainer release wasm web site web-test rules-test docs docs-site check-gen bench speed perft-columns profile pgo docs-generators clocks fuzz

# The time that each fuzz target runs.
FUZZTIME ?= 10m

# The engine that perft speeds are compared with, the rounds of each benchmark,
# the least time of one run in it, and the results of a run to compare with.
ENGINE ?= stockfish
ROUNDS ?= 10
BENCHTIME ?= 20ms
BASE ?=

build: ## builds the engine; OpenBench calls it with EXE, CC and EVALFILE
ifdef EVALFILE
	CGO_ENABLED=0 go run ./train network '$(EVALFILE)'
	@mkdir -p bench.out
	@printf '{"Replace":{"%s":"%s"}}' '$(CURDIR)/eval/nnue/tabula.nn' "$$(realpath '$(EVALFILE)')" >bench.out/overlay.json
endif
	CGO_ENABLED=0 GOAMD64=$(LEVEL) go build -trimpath $(if $(TAGS),-tags '$(TAGS)') $(if $(EVALFILE),-overlay bench.out/overlay.json) -o '$(EXE)$(SUFFIX)' .

# Flags of go test. A package may take long on a machine with other work.
TESTFLAGS ?=
test: ## all tests that need no browser, of all modules
	go test $(TESTFLAGS) -timeout 30m ./... ./farm/... ./bench/compare/...

ci: ## what a release has to pass; runs as root on Debian and Ubuntu, where it installs what it needs
	.ci/run

# "go run" does not pass exit codes on, and shells complete only programs.
tools: ## bin/bench, bin/train and bin/tabula-farm; bin/bench completion bash prints what completes its command lines
	@mkdir -p bin
	CGO_ENABLED=0 GOAMD64=$(LEVEL) go build -trimpath -o bin/ ./bench ./train ./farm/tabula-farm
	@ls -sh bin

# What "go run ./train" runs is built for every x86-64 processor.
trainer: ## builds ./trainer, the train commands for this processor, for long runs
	CGO_ENABLED=0 GOAMD64=$(LEVEL) go build -trimpath -o 'trainer$(SUFFIX)' ./train

# The same commit gives the same bytes wherever it is built. SKIP=docker where there is no docker.
SKIP ?=
release: ## archives, checksums, SBOMs and packages of every system in dist/release, by .goreleaser.yaml
	VERSION=$$(sed -n 's/^const Number = "\(.*\)"/\1/p' internal/version/version.go) \
	COMMIT=$$(git rev-parse --short=12 HEAD)$$(git diff --quiet HEAD || echo +) \
	DATE=$$(git log -1 --format=%cI) SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) \
	go run github.com/goreleaser/goreleaser/v2@v2.16.0 release --snapshot --clean $(if $(SKIP),--skip=$(SKIP))

# The packages where the engine spends its time as WebAssembly: tools/reloop
# rebuilds their functions.
WASM_HOT = chess movegen eval eval/nnue search

# The engine as WebAssembly with vector kernels of its own, for Node and for a
# page's worker. wasm_exec.js is Go's. go build leaves a file as it is that it made itself, even
# where reloop has changed it since: so reloop reads another.
wasm: ## the engine as WebAssembly in dist/wasm: node dist/wasm/tabula.mjs
	mkdir -p dist/wasm
	rm -f dist/wasm/*.wasm
	GOOS=js GOARCH=wasm go build -trimpath -tags tabula_simd -o dist/linked.wasm .
	go run ./tools/reloop dist/linked.wasm dist/wasm/tabula.wasm $(WASM_HOT:%=github.com/tabula-chess/tabula/%)
	cp web/engine/*.mjs "$$(go env GOROOT)/lib/wasm/wasm_exec.js" dist/wasm/
	@ls -l dist/wasm | awk 'NF > 8 { printf "%s %.1f MB\n", $$9, $$5 / 1e6 }'

# The pages that the programs have in them, with the packages that web/package-lock.json names. The same sources
# give the same bytes, and the archives are committed.
web: ## builds web/zpage.zip and web/zfarm.zip, the pages in the programs, by npm
	cd web && npm ci --no-audit --no-fund --loglevel=error && npm run build
	go run ./gen page web/dist/page web/zpage.zip
	go run ./gen page web/dist/farm web/zfarm.zip

site: web wasm ## page and engine in dist/site, a folder that any static host can serve
	node web/site.mjs web/dist/page dist/wasm dist/site

# Needs Chromium; CHROMIUM names another than the one that is found.
web-test: docs-site ## plays, reviews and analyses on the page in a real browser
	go build -o dist/tabula-page .
	go build -o dist/farm-page ./farm/tabula-farm
	cd web && TABULA=$(CURDIR)/dist/tabula-page FARM=$(CURDIR)/dist/farm-page SITE=$(CURDIR)/dist/site DOCS=$(CURDIR)/dist/docs npm test

rules-test: ## the page's rules against package chess: perft to a million nodes a position, 200,000 positions
	go build -o dist/tabula-page .
	cd web && TABULA=$(CURDIR)/dist/tabula-page MOST=1000000 POSITIONS=200000 node --test test/rules.test.mjs

docs: ## rewrites the tables of options and commands in docs/uci.md, and the lineage's curve
	go test ./test -run 'TestTables|TestLineageCurve' -update

docs-site: site ## the documentation with the page on its front page in dist/docs, every link checked
	cd web/docs && npm ci --no-audit --no-fund --loglevel=error && npm run build

help: ## lists what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Deletes every file that go generate writes, rebuilds them all and demands that
# they are what is committed. A test compares eval/wdl/zfitted.go with its numbers,
# which are fitted to games.
check-gen: ## rebuilds every generated file and demands that nothing changes
	find . -type f -name 'z*' -not -path './.git/*' -not -path './dist/*' -not -path '*/node_modules/*' \
		-exec grep -lE '^// Code generated by go run \./gen.* DO NOT EDIT\.$$' {} + | xargs rm -f
	go generate
ifneq ($(shell command -v npm),)
	rm -f web/z*.zip
	$(MAKE) web
endif
	git diff --exit-code --stat HEAD -- ':(glob)**/z*'
	test -z "$$(git status --porcelain -- ':(glob)**/z*')"
	@command -v npm >/dev/null || echo 'npm is missing: web/zpage.zip and web/zfarm.zip were NOT rebuilt and are not checked' >&2

bench: ## Go benchmarks by benchstat, each attack path against magic, all generators; BASE=FILE compares with an earlier run
	@ROUNDS='$(ROUNDS)' BENCHTIME='$(BENCHTIME)' BASE='$(BASE)' bench/benchmarks.sh

# All generators and the engine in turn in every round, so that a slow moment hits all alike.
perft-columns: build ## perft in four columns, beside MINDCHESS, CHESSBIT, MPERFT, GIGANTUA and STOCKFISH where they are given; see docs/perft.md
	TABULA='./$(EXE)$(SUFFIX)' bench/columns.sh

speed: ## benchmarks all generators and the go perft of ENGINE in turn; shows a table
	@mkdir -p bench.out
	@go test -c -o bench.out/generators.test ./bench
	for round in $$(seq $(ROUNDS)); do \
		ENGINE='$(ENGINE)' bench.out/generators.test -test.run '^$$' -test.bench Generators -test.benchtime $(BENCHTIME) || exit 1; \
	done >bench.out/generators.txt
	go run ./bench speed bench.out/generators.txt

profile: ## opens pprof on the engine's bench
	go build -o tabula .
	./tabula --cpuprofile cpu.prof bench
	go tool pprof tabula cpu.prof

pgo: ## makes default.pgo, by which go build optimises, from the engine's bench
	dir=$$(mktemp -d) && go build -pgo=off -trimpath -o $$dir/tabula . && $$dir/tabula --cpuprofile default.pgo bench 21; \
		done=$$?; rm -rf $$dir; exit $$done
	cp default.pgo train/default.pgo
	go build -o tabula .

docs-generators: speed ## measures all generators and rewrites figures and chart in README and docs
	go run ./bench speed --svg docs/img/generators.svg $$(grep -lF '<!-- measured:' README.md docs/*.md docs/course/*.md | sed 's/^/--docs /') bench.out/generators.txt

clocks: ## tests of the engine on real clocks, for a machine without other work
	TABULA_CLOCKS=1 go test -count=1 -run 'Scripts|Clocks' ./test

fuzz: ## runs each fuzz target in turn for FUZZTIME
	@for f in $$(grep -rlE --include='*_test.go' '^func Fuzz' .); do \
		for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' $$f); do \
			echo "$$t in $$(dirname $$f)"; \
			go test $$(dirname $$f) -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) || exit 1; \
		done; \
	done
