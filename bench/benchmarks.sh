#!/usr/bin/env bash
# Runs the Go benchmarks whose work goes along an attack path, and those of all generators, and shows by benchstat what
# differs; make bench calls it. ROUNDS, BENCHTIME and BASE are described there. All results stay in bench.out. With a
# file of results as its argument it runs nothing and shows them.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${ROUNDS:-10} benchtime=${BENCHTIME:-20ms} base=${BASE-} out=${1-}
packages=(movegen search) # what lists moves or counts them; nothing else goes along an attack path
for f in "$base" "$out"; do
	[ -z "$f" ] || [ -s "$f" ] || { echo "$f: no such results; ls bench.out" >&2; exit 2; }
done

bin=$(mktemp -d)
trap 'rm -r "$bin"' EXIT

run() { (cd "$1" && "$bin/$1" -test.run '^$' -test.bench "$2" -test.benchtime "$benchtime"); }

# Each round runs a package on one path right after the other, so that a slow moment hits all alike. Lines "path: NAME" are
# benchstat's way to tell results apart.
measure() {
	local p path paths=() round left='' began
	echo 'building the benchmarks' >&2
	for p in "${packages[@]}" bench; do go test -c -o "$bin/$p" "./$p"; done
	go build -o "$bin/counter" ./bench
	for path in magic pext avx2 avx512; do
		if "$bin/counter" perft --depth 1 --path $path >"$bin/log" 2>&1; then paths+=("$path"); else echo "not on this machine: $path" >&2; fi
	done
	began=$SECONDS
	for round in $(seq "$rounds"); do
		printf '\rround %d of %d%s ' "$round" "$rounds" "$left" >&2
		for p in "${packages[@]}"; do
			for path in "${paths[@]}"; do
				echo "path: $path"
				TABULA_ATTACKS=$path run "$p" .
			done
		done
		echo path:
		run bench Generators
		left=$(((SECONDS - began) * (rounds - round) / round))
		left=$(printf ', %d:%02d min left' $((left / 60)) $((left % 60)))
	done >"$bin/results" || { cat "$bin/results"; exit 1; }
	echo >&2
	mkdir -p bench.out
	out=bench.out/$(date +%Y%m%d-%H%M%S)-$(git describe --always --dirty 2>/dev/null || echo unknown).txt
	mv "$bin/results" "$out"
}

# compare FILTER COLUMNS ROWS FILE … writes benchstat's table into $bin/csv.
compare() {
	local filter=$1 columns=$2 rows=$3
	shift 3
	go tool benchstat -format csv -table goarch -filter "$filter" -col "$columns" -row "$rows" "$@" >"$bin/csv" 2>"$bin/log" || {
		cat "$bin/log" >&2
		return 1
	}
}

formats='
	function si(x, power) {
		for (power = 4; x >= 1000; power++) x /= 1000
		for (; x > 0 && x < 1; power--) x *= 1000
		return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x) substr("num kMG", power, 1)
	}
	function ratio(x) { return sprintf(x < 10 ? "%.2fx" : x < 100 ? "%.1fx" : "%.0fx", x) }'

# table shows the rows in which a column differs from the first, and how many times as good it is.
table() {
	awk -F, -v width=$((${#base} ? 46 : 20)) "$formats"'
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
			gsub(/(Generators)?\/?(stage|position|depth|generator)=|-[0-9]+$/, " ", name)
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
		END { if (unit == "") exit 1; if (!shown) print "nothing differs" }' "$bin/csv"
}

# generators shows a row for each generator: its speed, and how many times as fast as the first it is, over all positions
# and on each.
generators() {
	awk -F, "$formats"'
		function next_column(i) { return i == 2 ? 4 : i + 4 }
		NF < 2 { next }
		$1 == "" && $3 == "" { for (i = 2; i <= NF; i = next_column(i)) name[i] = $i; last = NF; next }
		$1 == "" { next }
		{
			position = $1
			gsub(/.*position=|\/.*/, "", position)
			if (position != "geomean") order[++n] = position
			for (i = 2; i <= NF; i = next_column(i)) {
				if (position == "geomean") mean[i] = $i
				times[i, position] = i > 2 && $(i + 2) == "~" ? "~" : $2 > 0 ? ratio($i / $2) : "-"
			}
		}
		END {
			if (!n) exit 1
			head = sprintf("%-14s %7s %6s", "", "nodes/s", "all")
			for (p = 1; p <= n; p++) head = head sprintf(" %10s", order[p])
			print head
			for (i = 2; i <= last; i = next_column(i)) {
				text = sprintf("%-14s %7s %6s", name[i], si(mean[i]), times[i, "geomean"])
				for (p = 1; p <= n; p++) text = text sprintf(" %10s", times[i, order[p]])
				print text
			}
		}' "$bin/csv"
}

[ -n "$out" ] || measure
if [ -n "$base" ]; then
	echo "$base and now"
	compare '.unit:(sec/op OR allocs/op)' .file 'path,.fullname' "base=$base" "now=$out"
	table
else
	echo 'Attack paths against magic: the rows in which a path differs'
	compare '.unit:sec/op path:(magic OR pext OR avx2 OR avx512)' 'path@(magic pext avx2 avx512)' .fullname "$out"
	table
	printf '\nAll generators of this machine against x88: the geometric mean, and each position\n'
	names=$(awk '$1 ~ /^BenchmarkGenerators.*generator=/ {
		gsub(/.*generator=|-[0-9]+$/, "", $1)
		if ($1 != "x88" && !seen[$1]++) print $1
	}' "$out")
	compare '.unit:nodes/s .name:Generators' "/generator@(x88 ${names//$'\n'/ })" .fullname "$out"
	generators
fi
echo
echo '~: no difference that these rounds can show (p >= 0.05); 1.50x: one and a half times as fast;'
echo 'n, u, m: 10^-9, 10^-6, 10^-3, here seconds for each operation; k, M, G: 10^3, 10^6, 10^9'
[ "$rounds" -ge 6 ] || echo "ROUNDS=$rounds: fewer than 6 rounds show few differences"
printf 'kept in %s; to compare a later run with this one:\nmake bench BASE=%s\n' "$out" "$out"
