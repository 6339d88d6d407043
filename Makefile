.PHONY: check-gen

# Deletes every generated file, rebuilds them all and demands that they are
# what is committed.
check-gen:
	find . -type f -name 'z*' -not -path './.git/*' \
		-exec grep -lE '^// Code generated .* DO NOT EDIT\.$$' {} + | xargs rm -f
	go generate
	git diff --exit-code --stat HEAD -- ':(glob)**/z*'
	test -z "$$(git status --porcelain -- ':(glob)**/z*')"

# Breaks the move generator in small ways, one at a time, and demands that the
# short tests notice each.
.PHONY: mutants
mutants:
	go run ./internal/mutants

# Runs the fuzz targets of positions, one after the other.
FUZZTIME ?= 10m
.PHONY: fuzz
fuzz:
	go test ./chess -run '^$$' -fuzz '^FuzzFEN$$' -fuzztime $(FUZZTIME)
	go test ./chess -run '^$$' -fuzz '^FuzzSAN$$' -fuzztime $(FUZZTIME)
	go test ./movegen -run '^$$' -fuzz '^FuzzGame$$' -fuzztime $(FUZZTIME)
