// Package publish puts files into Secrets that exist, as one whole: readers wait for an annotation that
// all the Secrets get at the very end.
package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/dynamic"

	"github.com/benchnet/benchnet/internal/agent/kube"
)

// Annotation that marks a Secret as complete.
type Annotation struct{ Key, Value string }

// ParseAnnotation reads KEY=VALUE.
func ParseAnnotation(text string) (Annotation, error) {
	key, value, found := strings.Cut(text, "=")
	if problems := validation.IsQualifiedName(key); !found || len(problems) > 0 {
		return Annotation{}, fmt.Errorf("annotation %q is not KEY=VALUE: %s", text, strings.Join(problems, "; "))
	}
	return Annotation{key, value}, nil
}

// Source is a Secret and a folder, relative to the publisher's root, whose files become its data. Several sources may name
// the same Secret.
type Source struct{ Secret, Folder string }

// ParseSource reads NAME=FOLDER.
func ParseSource(text string) (Source, error) {
	name, folder, found := strings.Cut(text, "=")
	if !found || name == "" || !filepath.IsLocal(folder) {
		return Source{}, fmt.Errorf("secret %q is not NAME=FOLDER with a folder below the root", text)
	}
	return Source{name, folder}, nil
}

// Outcome of a publication.
type Outcome string

const (
	// Published: the Secrets now hold the files.
	Published Outcome = "Published"
	// AlreadyComplete: an earlier publication had completed, and was kept. What is complete may be in use.
	AlreadyComplete Outcome = "AlreadyComplete"
)

// Publisher fills Secrets. It needs the verb patch on them, no other.
type Publisher struct {
	Secrets  dynamic.ResourceInterface
	Complete Annotation
	// Root is the folder that holds all sources. Nothing outside of it is read.
	Root string
}

// pendingSecret is a Secret about to be filled.
type pendingSecret struct {
	name, uid string
	complete  bool
	// data of the Secret in base64, and its size before the encoding.
	data map[string]any
	size int64
}

// Publish fills the Secrets of sources and then marks them all as complete. If it is interrupted,
// no reader sees all the marks, and a second call overwrites what the first one left, to the last key.
// Nothing is written before all folders are read and all Secrets found.
func (p *Publisher) Publish(ctx context.Context, sources []Source) (Outcome, error) {
	targets, err := p.collectSecrets(ctx, sources)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(targets, func(t pendingSecret) bool { return !t.complete }) {
		return AlreadyComplete, nil
	}
	for _, step := range []struct {
		what string
		do   func(context.Context, pendingSecret) error
	}{{"unmark", p.removeCompleteMark}, {"fill", p.fillSecret}, {"mark", p.addCompleteMark}} {
		for _, t := range targets {
			if err := step.do(ctx, t); err != nil {
				return "", fmt.Errorf("%s Secret %s: %w", step.what, t.name, err)
			}
		}
	}
	return Published, nil
}

func (p *Publisher) collectSecrets(ctx context.Context, sources []Source) ([]pendingSecret, error) {
	if len(sources) == 0 {
		return nil, errors.New("no Secrets to fill")
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var targets []pendingSecret
	for _, s := range sources {
		i := slices.IndexFunc(targets, func(t pendingSecret) bool { return t.name == s.Secret })
		if i < 0 {
			i, targets = len(targets), append(targets, pendingSecret{name: s.Secret})
		}
		if err := targets[i].addFolder(root, s.Folder); err != nil {
			return nil, fmt.Errorf("files for Secret %s: %w", s.Secret, err)
		}
	}
	for i := range targets {
		// A change of nothing tells the object's state with no right but to patch it.
		found, err := kube.MergePatch(ctx, p.Secrets, targets[i].name, map[string]any{})
		if err != nil {
			return nil, fmt.Errorf("find Secret %s: %w", targets[i].name, err)
		}
		value, marked := found.GetAnnotations()[p.Complete.Key]
		targets[i].uid, targets[i].complete = string(found.GetUID()), marked && value == p.Complete.Value
	}
	return targets, nil
}

func (p *Publisher) removeCompleteMark(ctx context.Context, t pendingSecret) error {
	return p.setCompleteMark(ctx, t, nil)
}

func (p *Publisher) addCompleteMark(ctx context.Context, t pendingSecret) error {
	return p.setCompleteMark(ctx, t, p.Complete.Value)
}

func (p *Publisher) setCompleteMark(ctx context.Context, t pendingSecret, value any) error {
	_, err := kube.MergePatch(ctx, p.Secrets, t.name, map[string]any{
		"metadata": map[string]any{"uid": t.uid, "annotations": map[string]any{p.Complete.Key: value}},
	})
	return err
}

func (p *Publisher) fillSecret(ctx context.Context, t pendingSecret) error {
	return kube.Apply(ctx, p.Secrets, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{"name": t.name, "uid": t.uid},
		"data":     t.data,
	}})
}
