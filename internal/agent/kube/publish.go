package kube

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
)

// Annotation marks a Secret as complete.
type Annotation struct{ Key, Value string }

// ParseAnnotation parses KEY=VALUE. It fails if KEY is not a valid annotation key.
func ParseAnnotation(text string) (Annotation, error) {
	key, value, found := strings.Cut(text, "=")
	if problems := validation.IsQualifiedName(key); !found || len(problems) > 0 {
		return Annotation{}, fmt.Errorf("annotation %q is not KEY=VALUE: %s", text, strings.Join(problems, "; "))
	}
	return Annotation{key, value}, nil
}

// SecretSource names a Secret and a folder, relative to the publisher's root, that holds files for its data. Several
// sources may name the same Secret.
type SecretSource struct{ Secret, Folder string }

// ParseSecretSource parses NAME=FOLDER. It fails if FOLDER leaves the root.
func ParseSecretSource(text string) (SecretSource, error) {
	name, folder, found := strings.Cut(text, "=")
	if !found || name == "" || !filepath.IsLocal(folder) {
		return SecretSource{}, fmt.Errorf("secret %q is not NAME=FOLDER with a folder below the root", text)
	}
	return SecretSource{name, folder}, nil
}

// Outcome is the result of a publication.
type Outcome string

const (
	// Published means that the Secrets now hold the files.
	Published Outcome = "Published"
	// AlreadyComplete means that an earlier publication is complete and was kept, because it may be in use.
	AlreadyComplete Outcome = "AlreadyComplete"
)

// Publisher fills Secrets. It needs only the patch verb on them.
type Publisher struct {
	Secrets  dynamic.ResourceInterface
	Complete Annotation
	// Root is the folder that holds all sources. Nothing outside it is read.
	Root string
}

type pendingSecret struct {
	name, uid string
	complete  bool
	// data holds the Secret's data in base64, size the number of bytes before encoding.
	data map[string]any
	size int64
}

// Publish fills the Secrets of sources and then marks them all as complete. It writes nothing before it has
// read all folders and found all Secrets. If it is interrupted, readers never see all marks, and the next call
// overwrites every key.
func (p *Publisher) Publish(ctx context.Context, sources []SecretSource) (Outcome, error) {
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

func (p *Publisher) collectSecrets(ctx context.Context, sources []SecretSource) ([]pendingSecret, error) {
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
		// An empty patch returns the object without needing the get verb.
		found, err := MergePatch(ctx, p.Secrets, targets[i].name, map[string]any{})
		if err != nil {
			return nil, fmt.Errorf("get Secret %s: %w", targets[i].name, err)
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
	_, err := MergePatch(ctx, p.Secrets, t.name, map[string]any{
		"metadata": map[string]any{"uid": t.uid, "annotations": map[string]any{p.Complete.Key: value}},
	})
	return err
}

func (p *Publisher) fillSecret(ctx context.Context, t pendingSecret) error {
	return applyObject(ctx, p.Secrets, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{"name": t.name, "uid": t.uid},
		"data":     t.data,
	}})
}
