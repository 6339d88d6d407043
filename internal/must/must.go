// Package must ends tests that cannot go on.
package must

// T is a test, of package testing or of one that works like it.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Succeed ends the test where there is an error.
func Succeed(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
