#!/usr/bin/env bash
# columns.sh measures perft in the four columns of a leaderboard, one thread or all, without
# or with a table, beside other programs. All take turns in every round; the table has the
# medians. Names of programs come from the environment, and an empty one is left out:
#
#   TABULA=./tabula MINDCHESS= CHESSBIT= MPERFT= GIGANTUA= STOCKFISH=stockfish ROUNDS=3 HASH=1024 LESS=0 bench/columns.sh
#
# LESS counts that many plies less. Every count is checked. Tabula counts on its best path, and on avx2 too. HASH= leaves
# out the columns with a table, THREADS=1 those with several threads.
set -euo pipefail
: "${TABULA=./tabula}" "${MINDCHESS=}" "${CHESSBIT=}" "${MPERFT=}" "${GIGANTUA=}" "${STOCKFISH=stockfish}"
: "${ROUNDS=3}" "${HASH=1024}" "${LESS=0}" "${THREADS=$(nproc)}"

# Name, FEN, depth without and with a table, then the counts of depth 1, 2 and so on.
positions='start|rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1|7|8|20 400 8902 197281 4865609 119060324 3195901860 84998978956
Kiwipete|r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1|6|7|48 2039 97862 4085603 193690690 8031647685 374190009323
position 3|8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1|8|9|14 191 2812 43238 674624 11030083 178633661 3009794393 50086749815
promotions|r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1|6|7|6 264 9467 422333 15833292 706045033 27209691363
open king|rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8|6|7|44 1486 62379 2103487 89941194 3048196529 131724123591
middle game|r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10|6|7|46 2079 89890 3894594 164075551 6923051137 287188994746'

results=$(mktemp)
trap 'rm -f "$results"' EXIT
TIMEFORMAT='%U %S %R'

# measure COLUMN POSITION DEPTH PROGRAM COUNT COMMAND… runs a command, whose output must hold the count.
measure() {
	local column=$1 name=$2 depth=$3 program=$4 count=$5 out times
	shift 5
	{ times=$({ time out=$("$@" </dev/null 2>/dev/null) && [[ " ${out//[$'\n':;,]/ } " == *" $count "* ]] || echo wrong; } 2>&1); }
	case $times in *wrong*) echo "$program counts $name to depth $depth wrong" >&2; exit 1 ;; esac
	echo "$column|$name, depth $depth|$program|$count $times" >>"$results"
}

# uci PROGRAM FEN DEPTH [OPTION VALUE]… runs go perft.
uci() {
	local program=$1 fen=$2 depth=$3
	shift 3
	{
		while [ $# -gt 0 ]; do echo "setoption name $1 value $2"; shift 2; done
		printf 'position fen %s\ngo perft %s\nisready\n' "$fen" "$depth"
	} | "$program"
}

# avx2 FEN DEPTH is uci for Tabula on its path for AVX2, where the processor has another one.
avx2() { TABULA_ATTACKS=avx2 uci "$TABULA" "$@"; }

# chessbit FEN DEPTH counts all depths up to one, so that its times have those of the smaller depths too. It writes
# numbers in groups of digits.
chessbit() { printf 'setfen %s\nperft %s\nexit\n' "$1" "$2" | "$CHESSBIT" | tr -d ' ' | tr '\t' ' '; }

# gigantua FEN DEPTH COUNT prints the count if that is what Gigantua finds.
gigantua() { "$GIGANTUA" "$@" && echo "$3"; }

for round in $(seq "$ROUNDS"); do
	printf '\rround %d of %d' "$round" "$ROUNDS" >&2
	while IFS='|' read -r name fen plain tabled counts; do
		read -ra nodes <<<"$counts"
		plain=$((plain - LESS)) tabled=$((tabled - LESS))
		without=${nodes[plain - 1]} with=${nodes[tabled - 1]}
		one() { measure 'one thread' "$name" "$plain" "$1" "$without" "${@:2}"; }
		table() { measure "one thread, $HASH MiB" "$name" "$tabled" "$1" "$with" "${@:2}"; }
		one Tabula uci "$TABULA" "$fen" "$plain"
		one 'Tabula, avx2' avx2 "$fen" "$plain"
		[ -z "$MINDCHESS" ] || one mindchess "$MINDCHESS" perft "$fen" "$plain"
		[ -z "$CHESSBIT" ] || one Chessbit chessbit "$fen" "$plain"
		[ -z "$MPERFT" ] || one MPerft "$MPERFT" -f "$fen" -d "$plain" -b
		[ -z "$GIGANTUA" ] || one Gigantua gigantua "$fen" "$plain" "$without"
		[ -z "$STOCKFISH" ] || one Stockfish uci "$STOCKFISH" "$fen" "$plain"
		[ -z "$HASH" ] || table Tabula uci "$TABULA" "$fen" "$tabled" Hash "$HASH"
		[ -z "$HASH" ] || [ -z "$MPERFT" ] || table MPerft "$MPERFT" -f "$fen" -d "$tabled" -b -h "$HASH"
		[ "$THREADS" != 1 ] || continue
		measure "$THREADS threads" "$name" "$plain" Tabula "$without" uci "$TABULA" "$fen" "$plain" Threads "$THREADS"
		[ -z "$HASH" ] || measure "$THREADS threads, $HASH MiB" "$name" "$tabled" Tabula "$with" \
			uci "$TABULA" "$fen" "$tabled" Threads "$THREADS" Hash "$HASH"
	done <<<"$positions"
done
echo >&2

echo '| column | position | program | user, s | system, s | elapsed, s | billion leaves per second of user time |'
echo '|---|---|---|--:|--:|--:|--:|'
sort -s -t'|' -k1,3 "$results" | awk -F'|' '
	function median(values, n,   i, j, t) {
		for (i = 2; i <= n; i++) for (j = i; j > 1 && values[j - 1] > values[j]; j--) { t = values[j]; values[j] = values[j - 1]; values[j - 1] = t }
		return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
	}
	function flush() {
		if (n) printf "| %s | %.2f | %.2f | %.2f | %.2f |\n", key, u = median(user, n), median(sys, n), median(real, n), nodes / (u > 0 ? u : 0.001) / 1e9
		n = 0
	}
	{
		if ($1 " | " $2 " | " $3 != key) { flush(); key = $1 " | " $2 " | " $3 }
		split($4, f, " "); nodes = f[1]; user[++n] = f[2]; sys[n] = f[3]; real[n] = f[4]
	}
	END { flush() }'
