package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// WriteJSON replaces the content of the file with the given name by v as JSON.
func WriteJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return Write(name, append(text, '\n'))
}

// ReadJSON reads the JSON file with the given name into v; found is false if there is no file. Errors
// name the file.
func ReadJSON(name string, v any) (found bool, err error) {
	text, err := ReadAll(OS(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	return true, nil
}
