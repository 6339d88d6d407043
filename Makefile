# EXE, CC and EVALFILE are what OpenBench passes: make EXE=name CC=go. CC is the
# Go compiler there and must not reach cgo, so cgo is off.
EXE ?= tabula
SUFFIX := $(if $(filter %.exe,$(EXE)),,$(shell go env GOEXE))
VERSION := $(shell sed -n 's/^const Version = "\(.*\)"/\1/p' internal/launch/version.go)

.PHONY: build release docs check-gen

build:
	$(if $(EVALFILE),@echo 'EVALFILE is not used: the evaluation is not a network')
	CGO_ENABLED=0 go build -trimpath -o '$(EXE)$(SUFFIX)' .

# One static binary for each system and processor, and their checksums. The
# same commit gives the same bytes wherever it is built. The Go linker wants a
# C linker for Android on amd64; the static Linux binary runs there as it is.
release:
	rm -rf dist && mkdir dist
	for target in linux windows darwin android; do for arch in amd64 arm64; do \
		name=dist/tabula-$(VERSION)-$$target-$$arch; system=$$target; \
		case $$target-$$arch in android-amd64) system=linux;; windows-*) name=$$name.exe;; esac; \
		echo $$name; \
		CGO_ENABLED=0 GOOS=$$system GOARCH=$$arch go build -trimpath -o $$name . || exit 1; \
	done; done
	cd dist && sha256sum * >SHA256SUMS && cat SHA256SUMS

# docs/conformance.md and the table of options in README.md.
docs:
	go run ./conformance

# Deletes every generated file, rebuilds them all and demands that they are
# what is committed.
check-gen:
	find . -type f -name 'z*' -not -path './.git/*' \
		-exec grep -lE '^// Code generated .* DO NOT EDIT\.$$' {} + | xargs rm -f
	go generate
	git diff --exit-code --stat HEAD -- ':(glob)**/z*'
	test -z "$$(git status --porcelain -- ':(glob)**/z*')"
