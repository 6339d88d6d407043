module github.com/tabula-chess/tabula

go 1.26
