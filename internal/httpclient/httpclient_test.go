package httpclient

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestClientsRefuseRedirects checks that every client that the programs create refuses redirects.
func TestClientsRefuseRedirects(t *testing.T) {
	for _, root := range []string{"../../main.go", "../../controllers", "../../cmd", "../../drivers/cometbft", "../../drivers/internal", "../../internal"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			for _, problem := range findFollowingClients(file) {
				t.Errorf("%s: %s", files.Position(problem.Pos()), "a client of net/http follows redirects; set CheckRedirect to httpclient.RefuseRedirects")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindFollowingClients(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want int
	}{
		"default client":   {`var c = http.DefaultClient`, 1},
		"function":         {`func f() { http.Get("x") }`, 1},
		"literal":          {`var c = &http.Client{Timeout: 1}`, 1},
		"field by value":   {`type t struct{ client http.Client }`, 1},
		"variable":         {`var c http.Client`, 1},
		"refusing literal": {`var c = &http.Client{CheckRedirect: httpclient.RefuseRedirects}`, 0},
		"pointer":          {`type t struct{ client *http.Client }`, 0},
		"other client":     {`var c = other.DefaultClient`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+c.code, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(findFollowingClients(file)); got != c.want {
				t.Errorf("found %d, want %d", got, c.want)
			}
		})
	}
}

// findFollowingClients returns the uses of net/http that follow redirects: its default client, and clients without
// RefuseRedirects.
func findFollowingClients(file *ast.File) []ast.Node {
	var found []ast.Node
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.SelectorExpr:
			if isHTTP(n, "DefaultClient", "Get", "Head", "Post", "PostForm") {
				found = append(found, n)
			}
		case *ast.CompositeLit:
			if isHTTP(n.Type, "Client") && !slices.ContainsFunc(n.Elts, refusesRedirects) {
				found = append(found, n)
			}
		case *ast.Field:
			if isHTTP(n.Type, "Client") {
				found = append(found, n)
			}
		case *ast.ValueSpec:
			if isHTTP(n.Type, "Client") {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

func refusesRedirects(element ast.Expr) bool {
	pair, ok := element.(*ast.KeyValueExpr)
	if !ok {
		return false
	}
	key, ok := pair.Key.(*ast.Ident)
	value, isSelector := pair.Value.(*ast.SelectorExpr)
	return ok && isSelector && key.Name == "CheckRedirect" && value.Sel.Name == "RefuseRedirects"
}

func isHTTP(expression ast.Expr, names ...string) bool {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	name, ok := selector.X.(*ast.Ident)
	return ok && name.Name == "http" && slices.Contains(names, selector.Sel.Name)
}
