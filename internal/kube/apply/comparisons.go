package apply

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strconv"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// maxComparisons is how many comparisons are remembered before all are forgotten, so that those of deleted objects are
// not retained.
const maxComparisons = 1 << 16

// comparisons remembers which versions of live objects had no drift from which desired objects, as hashes. Most passes
// over a network change nothing, and comparing an object field by field takes several times as long as hashing it.
type comparisons struct {
	seed   maphash.Seed
	mutex  sync.Mutex
	hashes map[uint64]struct{}
}

func newComparisons() comparisons {
	return comparisons{seed: maphash.MakeSeed(), hashes: map[uint64]struct{}{}}
}

// hashComparison returns the hash of everything that a comparison depends on. It returns 0 for a live object without a resource
// version, whose comparisons are not remembered.
func (c *comparisons) hashComparison(owner Owner, desired, live client.Object) (uint64, error) {
	if live == nil || live.GetResourceVersion() == "" {
		return 0, nil
	}
	var h maphash.Hash
	h.SetSeed(c.seed)
	err := json.NewEncoder(&h).Encode([]any{owner.Object.GetUID(), owner.Labels, owner.CommonLabels, owner.SkipBlockOwnerDeletion,
		live.GetUID(), live.GetResourceVersion(), desired})
	if err != nil {
		return 0, fmt.Errorf("hash %T %s: %w", desired, desired.GetName(), err)
	}
	return h.Sum64(), nil
}

// hashSpec returns the hash of a generation of a live object and of the intent that it is compared with.
func (c *comparisons) hashSpec(intent, live client.Object) uint64 {
	return maphash.Comparable(c.seed, [3]string{intent.GetAnnotations()[v1alpha1.AnnotationAppliedHash], string(live.GetUID()),
		strconv.FormatInt(live.GetGeneration(), 10)})
}

func (c *comparisons) hasHash(hash uint64) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	_, found := c.hashes[hash]
	return found
}

func (c *comparisons) addHash(hash uint64) {
	if hash == 0 {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.hashes) >= maxComparisons {
		clear(c.hashes)
	}
	c.hashes[hash] = struct{}{}
}
