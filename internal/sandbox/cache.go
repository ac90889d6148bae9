package sandbox

import (
	"slices"
	"time"
)

// entrySize is the memory of an entry in bytes, without its output.
const entrySize = 1024

// entry is the outcome of one rendering.
type entry struct {
	key, namespace string
	output         []byte
	err            error
	// expires is when the entry is rendered again; zero: never.
	expires time.Time
}

func (e *entry) size() int { return entrySize + len(e.output) }

// cache keeps outcomes up to a limit in bytes. It evicts from the namespace that uses most, so that a tenant with many or large charts
// cannot evict the entries of others.
type cache struct {
	limit int
	// entries in the order of their use, the last used one at the end.
	entries []*entry
}

// get returns the entry, or nil if there is none or it has expired.
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

// put adds the entry and evicts the least recently used entries of the namespaces that use most.
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
