#!/usr/bin/env bash
# Runs the Go benchmarks whose work goes along an attack path, and those of all generators, and shows by benchstat what
# differs; make bench calls it. ROUNDS, BENCHTIME and BASE are described there. All results stay in bench.out.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${ROUNDS:-10} benchtime=${BENCHTIME:-20ms} base=${BASE-}
packages=(movegen search) # what lists moves or counts them; nothing else goes along an attack path
[ -z "$base" ] || [ -s "$base" ] || { echo "BASE=$base: no such results; ls bench.out" >&2; exit 2; }

mkdir -p bench.out
bin=$(mktemp -d)
trap 'rm -r "$bin"' EXIT
for p in "${packages[@]}" bench; do go test -c -o "$bin/$p" "./$p"; done
go build -o "$bin/counter" ./bench
paths=()
for path in magic pext avx2 avx512; do
	if "$bin/counter" perft --depth 1 --path $path >"$bin/log" 2>&1; then paths+=("$path"); else echo "not on this machine: $path" >&2; fi
done

# Each round runs a package on one path right after the other, so that a slow moment hits all alike. Lines "path: NAME" are
# benchstat's way to tell results apart.
out=bench.out/$(date +%Y%m%d-%H%M%S)-$(git describe --always --dirty 2>/dev/null || echo unknown).txt
run() { (cd "$1" && "$bin/$1" -test.run '^$' -test.bench "$2" -test.benchtime "$benchtime"); }
for round in $(seq "$rounds"); do
	printf '\rround %d of %d' "$round" "$rounds" >&2
	for p in "${packages[@]}"; do
		for path in "${paths[@]}"; do
			echo "path: $path"
			TABULA_ATTACKS=$path run "$p" .
		done
	done
	echo path:
	run bench Generators
done >"$bin/results" || { cat "$bin/results"; exit 1; }
echo >&2
mv "$bin/results" "$out"

# table FILTER COLUMNS ROWS FILE … shows the rows in which a column differs from the first, and how many times as good it is.
table() {
	local title=$1 filter=$2 columns=$3 rows=$4
	shift 4
	echo "$title"
	go tool benchstat -format csv -table goarch -filter "$filter" -col "$columns" -row "$rows" "$@" >"$bin/csv" 2>"$bin/log"
	awk -F, -v width=$((${#base} ? 30 : 20)) '
		function si(x, power) {
			for (power = 4; x >= 1000; power++) x /= 1000
			for (; x > 0 && x < 1; power--) x *= 1000
			return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x) substr("num kMG", power, 1)
		}
		function ratio(x) { return sprintf(x < 10 ? "%.2fx" : "%.1fx", x) }
		function row(name, i, text, times) {
			text = sprintf("%-" width "s %6s", name, si($2))
			for (i = 4; i <= NF; i += 4) {
				times = $i > 0 && $2 > 0 ? ratio(unit == "nodes/s" ? $i / $2 : $2 / $i) : $(i + 2)
				text = text sprintf(" %6s %-5s", $i == "" ? "-" : si($i), $(i + 2) == "~" ? "~" : times)
			}
			return text
		}
		NF < 2 { next }
		$1 == "" && $3 == "" { head = $0; next }
		$1 == "" {
			unit = $2
			n = split(head, column, ",")
			head = sprintf("%-" width "s %6s", unit, column[2])
			for (i = 4; i <= n; i += 4) head = head sprintf(" %6s %-5s", column[i], "")
			next
		}
		{
			name = $1
			gsub(/(Generators)?\/?(stage|position|depth)=|-[0-9]+$/, " ", name)
			gsub(/^[\/ ]+|\//, "", name)
			differs = 0
			for (i = 6; i <= NF; i += 4) differs += $1 != "geomean" && $i ~ /%/
			if ($1 == "geomean" ? shown && unit != "allocs/op" : differs) {
				if (head != "") print head
				head = ""
				print row($1 == "geomean" ? "geometric mean" : name)
			}
			if (differs) shown++
		}
		END { if (unit == "") exit 1; if (!shown) print "nothing differs" }' "$bin/csv" || { cat "$bin/log" >&2; return 1; }
	echo
}

if [ -n "$base" ]; then
	table "$base and now" '.unit:(sec/op OR allocs/op)' .file 'path,.fullname' "base=$base" "now=$out"
else
	table 'Attack paths against magic' '.unit:sec/op path:(magic OR pext OR avx2 OR avx512)' 'path@(magic pext avx2 avx512)' .fullname "$out"
	table 'Generators against x88' '.unit:nodes/s .name:Generators' '/generator@(x88 mailbox rays position magic pext avx2 avx512)' .fullname "$out"
fi
[ "$rounds" -ge 6 ] || echo "ROUNDS=$rounds: fewer than 6 rounds show few differences"
echo "kept as $out; make bench BASE=$out compares with it"
