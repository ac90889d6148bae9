package sandbox

import (
	"slices"
	"time"
)

// entrySize in bytes is what an entry takes beside its output.
const entrySize = 1024

// entry is the outcome of one rendering.
type entry struct {
	key, namespace string
	output         []byte
	err            error
	// expires is when an error is forgotten; zero: never.
	expires time.Time
}

func (e *entry) size() int { return entrySize + len(e.output) }

// cache keeps outcomes up to a limit in bytes. What one namespace puts into it cannot push out what others have in it, as long as they
// have less.
type cache struct {
	limit int
	// entries, the last used one at the end.
	entries []*entry
}

// get returns the entry, or nil if there is none that counts.
func (c *cache) get(key string, now time.Time) *entry {
	i := slices.IndexFunc(c.entries, func(e *entry) bool { return e.key == key })
	if i < 0 {
		return nil
	}
	found := c.entries[i]
	c.entries = slices.Delete(c.entries, i, i+1)
	if !found.expires.IsZero() && !now.Before(found.expires) {
		return nil
	}
	c.entries = append(c.entries, found)
	return found
}

// put keeps the entry, and drops the oldest entries of the namespaces that have most.
func (c *cache) put(e *entry) {
	c.entries = append(c.entries, e)
	total, sizes := 0, map[string]int{}
	for _, e := range c.entries {
		total += e.size()
		sizes[e.namespace] += e.size()
	}
	for total > c.limit {
		largest := c.entries[0].namespace
		for namespace, size := range sizes {
			if size > sizes[largest] {
				largest = namespace
			}
		}
		i := slices.IndexFunc(c.entries, func(e *entry) bool { return e.namespace == largest })
		total -= c.entries[i].size()
		sizes[largest] -= c.entries[i].size()
		c.entries = slices.Delete(c.entries, i, i+1)
	}
}
