package measurement

import (
	"cmp"
	"slices"
)

// LabelCount counts the requests of one label.
type LabelCount struct {
	// Label is the name of the sampler in a user's JMeter plan, or the kind of a transaction.
	Label string `json:"label"`
	// Requests is the number of requests that started in the window.
	Requests int64 `json:"requests"`
	// Errors is the number of failed and unfinished requests among Requests.
	Errors int64 `json:"errors"`
}

const (
	// maxLabels is the number of labels that are counted separately. A plan may put variables into its labels.
	maxLabels = 50
	// OtherLabels is the label that counts the requests of all further labels.
	OtherLabels = "other"
)

// labelCounts holds the requests by label.
type labelCounts map[string]*LabelCount

// addCount adds the counts of l. It truncates labels, which may have any length.
func (c labelCounts) addCount(l LabelCount) {
	l.Label = truncateText(l.Label)
	if c[l.Label] == nil && len(c) >= maxLabels {
		l.Label = OtherLabels
	}
	known := c[l.Label]
	if known == nil {
		c[l.Label] = &l
		return
	}
	known.Requests += l.Requests
	known.Errors += l.Errors
}

// sortedByCount returns the counts, the most frequent label first; nil without any.
func (c labelCounts) sortedByCount() []LabelCount {
	var all []LabelCount
	for _, l := range c {
		all = append(all, *l)
	}
	slices.SortFunc(all, func(a, b LabelCount) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Label, b.Label))
	})
	return all
}
