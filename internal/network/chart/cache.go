package chart

import (
	"slices"
	"time"
)

// entrySize is the memory of an entry in bytes, without its output.
const entrySize = 1024

// cacheEntry is the outcome of one rendering.
type cacheEntry struct {
	key, namespace string
	output         []byte
	err            error
	// expires is when the entry becomes stale and is rendered again; zero means never.
	expires time.Time
}

func (e *cacheEntry) sizeBytes() int { return entrySize + len(e.output) }

// outcomeCache holds outcomes up to a limit in bytes. It evicts from the namespace that uses most, so that a
// tenant with many or large charts cannot evict the entries of others.
type outcomeCache struct {
	limit int
	// entries are in the order of their use, the most recently used one last.
	entries []*cacheEntry
}

// getEntry returns the entry, or nil if there is none or it has expired.
func (c *outcomeCache) getEntry(key string, now time.Time) *cacheEntry {
	i := slices.IndexFunc(c.entries, func(e *cacheEntry) bool { return e.key == key })
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

// putEntry adds the entry. Above the limit, it evicts the least recently used entries of the namespaces that
// use most.
func (c *outcomeCache) putEntry(e *cacheEntry) {
	c.entries = append(c.entries, e)
	total, sizes := 0, map[string]int{}
	for _, e := range c.entries {
		total += e.sizeBytes()
		sizes[e.namespace] += e.sizeBytes()
	}
	for total > c.limit {
		largest := c.entries[0].namespace
		for namespace, size := range sizes {
			if size > sizes[largest] {
				largest = namespace
			}
		}
		i := slices.IndexFunc(c.entries, func(e *cacheEntry) bool { return e.namespace == largest })
		total -= c.entries[i].sizeBytes()
		sizes[largest] -= c.entries[i].sizeBytes()
		c.entries = slices.Delete(c.entries, i, i+1)
	}
}
