package results

import (
	"bytes"
	"fmt"
)

// Bounds of a stored document. They are above everything that the operator and its agents write. Decoding allocates far more than the
// size of the text: an empty object of 3 bytes becomes a struct of hundreds of bytes.
const (
	maxDepth     = 32
	maxFields    = 10_000
	maxListItems = 20_000
	// maxSeconds is the length of a series with a value per second: warm-up and window have at most 48 h.
	maxSeconds = 200_000
	maxString  = 64 << 10
	// maxHistogram is above the length of the base64 text of any histogram of the project.
	maxHistogram = 512 << 10
	// maxObjects of a document, and maxItems of all its lists but those of longLists. A list of structs allocates one for each item,
	// even for a number, before it refuses the number. 4 MiB of text hold 2 million of them.
	maxObjects = 300_000
	maxItems   = maxObjects
)

// longLists are the fields with lists of one number per second, which may have maxSeconds items. Other spellings that encoding/json
// accepts for these names, such as VALUES, have the smaller limit.
var longLists = map[string]bool{"values": true, "cpuSeconds": true, "memoryBytes": true, "completedPerSecond": true, "failedPerSecond": true}

// container is a list or an object that is being scanned.
type container struct {
	list  bool
	items int
	// field is the last field name in an object; in a list, that of the field with the list.
	field string
}

// boundsScanner counts what a JSON text holds without decoding it.
type boundsScanner struct {
	text           []byte
	open           []container
	objects, items int
}

// checkBounds refuses a JSON text that holds more than a stored document can. The text need not be valid.
func checkBounds(text []byte) error {
	s := boundsScanner{text: text}
	return s.scan()
}

func (s *boundsScanner) scan() error {
	for at := 0; at < len(s.text); at++ {
		var err error
		switch c := s.text[at]; c {
		case '"':
			at, err = s.readString(at)
		case '{', '[':
			err = s.push(c == '[')
		case '}', ']':
			s.pop()
		case ',':
			err = s.count()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readString returns the position of the closing quote. A string that a colon follows is the name of a field.
func (s *boundsScanner) readString(start int) (int, error) {
	end := start + 1
	for end < len(s.text) && s.text[end] != '"' {
		if s.text[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(s.text)-1)
	limit := maxString
	if top := s.top(); top != nil && top.field == "histogram" {
		limit = maxHistogram
	}
	if n := end - start; n > limit {
		return 0, fmt.Errorf("a string has %d bytes, at most %d are allowed", n, limit)
	}
	next := bytes.TrimLeft(s.text[end+1:], " \n\t\r")
	if top := s.top(); top != nil && !top.list && len(next) > 0 && next[0] == ':' {
		top.field = string(s.text[start+1 : end])
	}
	return end, nil
}

func (s *boundsScanner) top() *container {
	if len(s.open) == 0 {
		return nil
	}
	return &s.open[len(s.open)-1]
}

func (s *boundsScanner) push(list bool) error {
	field := ""
	if top := s.top(); top != nil {
		field = top.field
	}
	if len(s.open) == maxDepth {
		return fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	if !list {
		s.objects++
	}
	if s.objects > maxObjects {
		return fmt.Errorf("it has more than %d objects", maxObjects)
	}
	s.open = append(s.open, container{list: list, field: field})
	return s.count()
}

func (s *boundsScanner) pop() {
	if len(s.open) > 0 {
		s.open = s.open[:len(s.open)-1]
	}
}

// count adds an item to the innermost list or object. An empty one counts as one with an item.
func (s *boundsScanner) count() error {
	top := s.top()
	if top == nil {
		return nil
	}
	top.items++
	limit := maxFields
	switch {
	case top.list && longLists[top.field]:
		limit = maxSeconds
	case top.list:
		limit = maxListItems
		s.items++
	}
	if top.items > limit {
		return fmt.Errorf("%.40q has more than %d items", top.field, limit)
	}
	if s.items > maxItems {
		return fmt.Errorf("its lists have more than %d items", maxItems)
	}
	return nil
}
