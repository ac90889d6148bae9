package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

const (
	// digestLength is the length of a digest in the record of generated Secrets.
	digestLength = 8
	// noDigest stands for a Secret that is not recorded.
	noDigest = "--------"
)

// LostSecret is a generated Secret that was deleted, or whose content was changed, while the network needs it.
type LostSecret struct {
	Name    string
	Changed bool
	// Digest is the digest of the content that was generated.
	Digest string
}

// HasContent reports whether content with that digest is what was generated.
func (l LostSecret) HasContent(digest string) bool {
	return digest != "" && strings.HasPrefix(digest, l.Digest)
}

// secretRecord holds the digest of each generated Secret that may be in use, by name.
type secretRecord map[string]string

// recordedSecrets returns the digests of those generated Secrets that the status records. A reset begins with an empty record,
// since no member continues with earlier keys. Only the superuser's password remains, with which the servers were created. The
// record of an earlier version may be shorter.
func (in Input) recordedSecrets(names []string, epoch string) secretRecord {
	status, found := in.Network.Status.GeneratedSecrets, secretRecord{}
	if status == nil {
		return found
	}
	for i, name := range names[:min(len(names), len(status.Digests)/digestLength)] {
		digest := status.Digests[i*digestLength : (i+1)*digestLength]
		current := status.Epoch == epoch || name == naming.DatabaseSuperuserSecret(in.Network.Name)
		if current && digest != noDigest {
			found[name] = digest
		}
	}
	return found
}

// checkGeneratedSecrets sets the lost Secrets of the plan, and the record of its generated Secrets. Passwords are recorded
// once they exist, and the genesis once it is complete: until then no member uses any of it. It reports whether the
// genesis has been completed.
func (p *Plan) checkGeneratedSecrets(in Input, genesis []string) (completed bool) {
	names := p.generatedNames(in.Network.Name, genesis)
	record := in.recordedSecrets(names, p.Epoch.ID)
	completed = len(genesis) > 0 && !slices.ContainsFunc(genesis, func(name string) bool { return record[name] == "" })
	filled := !slices.ContainsFunc(genesis, func(name string) bool { return !in.GenesisSecretFilled(name) })
	var digests strings.Builder
	for _, name := range names {
		recorded, now := record[name], in.secretDigest(name)
		switch {
		case recorded != "" && now != recorded:
			p.LostSecrets = append(p.LostSecrets, LostSecret{Name: name, Changed: now != "", Digest: recorded})
		case recorded == "" && now != "" && (filled || !slices.Contains(genesis, name)):
			recorded = now
		}
		digests.WriteString(cmp.Or(recorded, noDigest))
	}
	p.GeneratedSecrets = v1alpha1.GeneratedSecrets{Epoch: p.Epoch.ID, Digests: digests.String()}
	return completed
}

// generatedNames returns the names of all generated Secrets in the order of their record. Secrets that a later version adds come
// last, so that the record of an earlier version stays valid.
func (p *Plan) generatedNames(network string, genesis []string) []string {
	added := naming.CommandsSecret(network)
	names := slices.Clone(genesis)
	for _, c := range p.Credentials {
		if c.Name != added {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return append(names, added)
}

// secretDigest returns the start of the digest of a live Secret, or "" if it does not exist or is empty.
func (in Input) secretDigest(name string) string {
	if in.SecretDigest == nil {
		return ""
	}
	return in.SecretDigest(name)[:min(digestLength, len(in.SecretDigest(name)))]
}

// IsLost reports whether a Secret was deleted after it was generated.
func (p *Plan) IsLost(secret string) bool {
	return slices.ContainsFunc(p.LostSecrets, func(l LostSecret) bool { return l.Name == secret && !l.Changed })
}

// LostSecretsMessage returns which generated Secrets are lost and what to do about them.
func (p *Plan) LostSecretsMessage(network string, resettable bool) string {
	var names []string
	superuser := false
	for _, l := range p.LostSecrets {
		what := "deleted"
		if l.Changed {
			what = "changed"
		}
		names = append(names, fmt.Sprintf("Secret %s was %s", l.Name, what))
		superuser = superuser || l.Name == naming.DatabaseSuperuserSecret(network)
	}
	advice := "reset the network (kubectl benchnet reset " + network + "), which generates deleted ones again"
	if superuser || !resettable {
		advice = "delete the network and create it again"
	}
	return limits.JoinItems(names, "; ") + "; what was generated once is not generated again, since members and databases may use it: " +
		"restore it from a backup, or " + advice
}

// isResettable reports whether a reset can return the network to its initial state.
func (in Input) isResettable() bool {
	_, ok := in.Platform.(platform.Resettable)
	return ok && !in.Network.Spec.DatabaseOrDefault().HasUserSchemas()
}
