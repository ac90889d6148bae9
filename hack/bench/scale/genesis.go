package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// startGenesisStub replaces the pods of genesis Jobs, which no kubelet starts here. It fills the Secrets named
// in the command of the Job's main container, with one request for each, as the agent does. It replaces no part
// of the operator.
func startGenesisStub(ctx context.Context, p *controlPlane) error {
	watcher, err := p.client.Watch(ctx, &batchv1.JobList{}, client.MatchingLabels{"app.kubernetes.io/component": "genesis"})
	if err != nil {
		return fmt.Errorf("watch genesis Jobs: %w", err)
	}
	go func() {
		defer watcher.Stop()
		var once sync.Map
		room := make(chan struct{}, 8)
		for event := range watcher.ResultChan() {
			job, ok := event.Object.(*batchv1.Job)
			if !ok || event.Type == watch.Deleted || job.Status.Active == 0 {
				continue
			}
			if _, done := once.LoadOrStore(job.UID, true); done {
				continue
			}
			room <- struct{}{}
			go func() {
				defer func() { <-room }()
				if err := fillGenesisSecrets(ctx, p.client, job); err != nil {
					fmt.Fprintln(os.Stderr, "scale:", err)
				}
			}()
		}
	}()
	return nil
}

// fillGenesisSecrets patches the Secrets as the arguments of `agent publish` specify.
func fillGenesisSecrets(ctx context.Context, c client.Client, job *batchv1.Job) error {
	command := job.Spec.Template.Spec.Containers[0].Command
	annotations := map[string]string{}
	var secrets []string
	for i := 0; i+1 < len(command); i++ {
		name, value, _ := strings.Cut(command[i+1], "=")
		switch command[i] {
		case "--complete-annotation":
			annotations[name] = value
		case "--secret":
			secrets = append(secrets, name)
		}
	}
	for _, name := range secrets {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: job.Namespace}}
		patch, err := json.Marshal(map[string]any{
			"metadata":   map[string]any{"annotations": annotations},
			"stringData": map[string]string{"file": strings.Repeat(rand.Text(), 10)},
		})
		if err != nil {
			return fmt.Errorf("encode the patch of Secret %s: %w", name, err)
		}
		if err := c.Patch(ctx, secret, client.RawPatch(types.MergePatchType, patch)); err != nil {
			return fmt.Errorf("fill Secret %s: %w", name, err)
		}
	}
	return nil
}
