.PHONY: check-gen

# Deletes every generated file, rebuilds them all and demands that they are
# what is committed.
check-gen:
	find . -type f -name 'z*' -not -path './.git/*' \
		-exec grep -lE '^// Code generated .* DO NOT EDIT\.$$' {} + | xargs rm -f
	go generate
	git diff --exit-code --stat HEAD -- ':(glob)**/z*'
	test -z "$$(git status --porcelain -- ':(glob)**/z*')"
