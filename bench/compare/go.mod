module github.com/tabula-chess/tabula/bench/compare

go 1.26.0

require (
	github.com/corentings/chess/v2 v2.3.2
	github.com/dylhunn/dragontoothmg v0.0.0-20220917014754-e79413b50d93
)

require golang.org/x/exp v0.0.0-20260824195058-e88cd73687aa // indirect
