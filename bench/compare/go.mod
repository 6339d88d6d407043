module github.com/tabula-chess/tabula/bench/compare

go 1.26.0

require (
	github.com/corentings/chess/v2 v2.3.2
	github.com/dylhunn/dragontoothmg v0.0.0-20220917014754-e79413b50d93
	github.com/tabula-chess/tabula v0.0.0
)

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/exp v0.0.0-20250128182459-e0ece0dbea4c // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/tabula-chess/tabula => ../../
