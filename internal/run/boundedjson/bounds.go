package boundedjson

import (
	"bytes"
	"fmt"
)

// Bounds of a stored document. They exceed everything that the operator and its agents write. Decoding
// allocates far more than the size of the text: an empty object of 3 bytes becomes a struct of hundreds of
// bytes.
const (
	maxDepth     = 32
	maxFields    = 10_000
	maxListItems = 20_000
	// maxSeriesSeconds is the length of a series with a value per second. Warm-up and window last at most 48 h.
	maxSeriesSeconds = 200_000
	maxStringBytes   = 64 << 10
	// MaxHistogramBytes exceeds the length of the base64 text of any histogram of the project.
	MaxHistogramBytes = 512 << 10
	// maxObjects bounds the objects of a document, and maxItems the items of all its lists except
	// perSecondListFields. A list of structs allocates one for each item, even for a number, before decoding
	// rejects the number. 4 MiB of text hold 2 million items.
	maxObjects = 300_000
	maxItems   = maxObjects
)

// perSecondListFields are the fields with lists of one number per second, which may have maxSeriesSeconds
// items. Other spellings that encoding/json accepts for these names, such as VALUES, have the smaller limit.
var perSecondListFields = map[string]bool{"values": true, "cpuSeconds": true, "memoryBytes": true, "completedPerSecond": true, "failedPerSecond": true,
	"latencyMicrosPerSecond": true, "meanLatencyMillis": true}

// jsonContainer is a list or an object that is being scanned.
type jsonContainer struct {
	isList bool
	items  int
	// field is the last field name in an object. In a list it is the name of the field that holds the list.
	field string
}

// boundsScanner counts the objects and items of a JSON text without decoding it.
type boundsScanner struct {
	text           []byte
	openContainers []jsonContainer
	objects, items int
}

// checkBounds returns an error if a JSON text holds more than a stored document can. The text need not be
// valid.
func checkBounds(text []byte) error {
	s := boundsScanner{text: text}
	return s.scanText()
}

func (s *boundsScanner) scanText() error {
	for at := 0; at < len(s.text); at++ {
		var err error
		switch c := s.text[at]; c {
		case '"':
			at, err = s.readString(at)
		case '{', '[':
			err = s.enterContainer(c == '[')
		case '}', ']':
			s.leaveContainer()
		case ',':
			err = s.countItem()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readString returns the position of the closing quote. A string that is followed by a colon is the name of a
// field.
func (s *boundsScanner) readString(start int) (int, error) {
	end := start + 1
	for end < len(s.text) && s.text[end] != '"' {
		if s.text[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(s.text)-1)
	limit := maxStringBytes
	if top := s.innermostContainer(); top != nil && top.field == "histogram" {
		limit = MaxHistogramBytes
	}
	if n := end - start; n > limit {
		return 0, fmt.Errorf("a string has %d bytes, at most %d are allowed", n, limit)
	}
	next := bytes.TrimLeft(s.text[end+1:], " \n\t\r")
	if top := s.innermostContainer(); top != nil && !top.isList && len(next) > 0 && next[0] == ':' {
		top.field = string(s.text[start+1 : end])
	}
	return end, nil
}

func (s *boundsScanner) innermostContainer() *jsonContainer {
	if len(s.openContainers) == 0 {
		return nil
	}
	return &s.openContainers[len(s.openContainers)-1]
}

func (s *boundsScanner) enterContainer(list bool) error {
	field := ""
	if top := s.innermostContainer(); top != nil {
		field = top.field
	}
	if len(s.openContainers) == maxDepth {
		return fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	if !list {
		s.objects++
	}
	if s.objects > maxObjects {
		return fmt.Errorf("it has more than %d objects", maxObjects)
	}
	s.openContainers = append(s.openContainers, jsonContainer{isList: list, field: field})
	return s.countItem()
}

func (s *boundsScanner) leaveContainer() {
	if len(s.openContainers) > 0 {
		s.openContainers = s.openContainers[:len(s.openContainers)-1]
	}
}

// countItem adds an item to the innermost list or object. An empty one counts as having one item.
func (s *boundsScanner) countItem() error {
	top := s.innermostContainer()
	if top == nil {
		return nil
	}
	top.items++
	limit := maxFields
	switch {
	case top.isList && perSecondListFields[top.field]:
		limit = maxSeriesSeconds
	case top.isList:
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
