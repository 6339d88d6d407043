package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
)

// A mutant is one small change of a source file.
type mutant struct {
	file        string
	line        int
	start, end  int // the bytes replaced
	old, become string
}

// apply returns the changed source.
func (m mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.start], []byte(m.become), src[m.end:])
}

// swaps holds the operators that may stand for one another.
var swaps = map[token.Token][]string{
	token.EQL: {"!="}, token.NEQ: {"=="},
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"}, token.REM: {"/"},
	token.SHL: {">>"}, token.SHR: {"<<"}, token.AND: {"|"}, token.OR: {"&"}, token.XOR: {"&"}, token.AND_NOT: {"&"},
	token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD_ASSIGN: {"-="}, token.SUB_ASSIGN: {"+="}, token.OR_ASSIGN: {"&="}, token.AND_ASSIGN: {"|="},
	token.XOR_ASSIGN: {"&="}, token.INC: {"--"}, token.DEC: {"++"},
}

// mutants returns every mutant of a file, in the order of the source. Generated
// files have none.
func mutants(name string, src []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	c := &collector{name: name, src: src, file: fset.File(file.Pos())}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			ast.Inspect(f.Body, c.visit)
		}
	}
	return c.found, nil
}

// collector gathers the mutants of one file.
type collector struct {
	name  string
	src   []byte
	file  *token.File
	found []mutant
}

// visit adds the mutants of one node.
func (c *collector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		c.swap(n.OpPos, n.Op)
		if y, ok := n.Y.(*ast.BasicLit); ok && y.Kind == token.STRING {
			break // a text is not behaviour
		}
		switch n.Op {
		case token.LAND, token.LOR, token.ADD, token.SUB, token.XOR, token.OR, token.AND, token.AND_NOT:
			c.replace(n, c.text(n.X))
			c.replace(n, c.text(n.Y))
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			c.replace(n, c.text(n.X))
		}
	case *ast.AssignStmt:
		c.swap(n.TokPos, n.Tok)
		if n.Tok != token.DEFINE {
			c.replace(n, "{}")
		}
	case *ast.IncDecStmt:
		c.swap(n.TokPos, n.Tok)
		c.replace(n, "{}")
	case *ast.ExprStmt, *ast.DeferStmt:
		c.replace(n, "{}")
	case *ast.BranchStmt:
		if n.Tok == token.BREAK || n.Tok == token.CONTINUE {
			c.replace(n, "{}")
		}
	case *ast.IfStmt:
		c.replace(n.Cond, "!("+c.text(n.Cond)+")")
	case *ast.ReturnStmt:
		if len(n.Results) == 0 {
			c.replace(n, "{}")
		}
	case *ast.BasicLit:
		if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			c.replace(n, strconv.Itoa(v+1))
		}
	case *ast.Ident:
		switch n.Name {
		case "true":
			c.replace(n, "false")
		case "false":
			c.replace(n, "true")
		}
	}
	return true
}

// swap adds the mutants of an operator.
func (c *collector) swap(pos token.Pos, op token.Token) {
	for _, other := range swaps[op] {
		c.add(c.file.Offset(pos), c.file.Offset(pos)+len(op.String()), other)
	}
}

// replace adds the mutant in which other text stands for a node.
func (c *collector) replace(n ast.Node, text string) {
	c.add(c.file.Offset(n.Pos()), c.file.Offset(n.End()), text)
}

func (c *collector) text(n ast.Node) string {
	return string(c.src[c.file.Offset(n.Pos()):c.file.Offset(n.End())])
}

func (c *collector) add(start, end int, text string) {
	c.found = append(c.found, mutant{
		file: c.name, line: c.file.Line(c.file.Pos(start)),
		start: start, end: end, old: string(c.src[start:end]), become: text,
	})
}
