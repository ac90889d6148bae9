package volumes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

func TestDeleteRemovesDirectory(t *testing.T) {
	provisioner := directoryProvisioner{root: t.TempDir()}
	reclaim := corev1.PersistentVolumeReclaimDelete
	volume, _, err := provisioner.Provision(context.Background(), controller.ProvisionOptions{
		StorageClass:     &storagev1.StorageClass{ReclaimPolicy: &reclaim},
		PVName:           "pvc-1",
		PVC:              &corev1.PersistentVolumeClaim{},
		SelectedNodeName: "node-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(provisioner.root, "pvc-1")
	if err := os.WriteFile(filepath.Join(path, "data"), []byte("x"), 0o600); err != nil {
		t.Fatalf("the volume has no directory: %v", err)
	}
	if err := provisioner.Delete(context.Background(), volume); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the directory outlived the volume: %v", err)
	}
}

// TestDeleteRefusesDirectoriesThatAreNotItsOwn checks that the path in a volume, which others may write, does
// not determine what is removed.
func TestDeleteRefusesDirectoriesThatAreNotItsOwn(t *testing.T) {
	provisioner := directoryProvisioner{root: t.TempDir()}
	foreign := t.TempDir()
	volume := &corev1.PersistentVolume{}
	volume.Name = "pvc-1"
	volume.Spec.Local = &corev1.LocalVolumeSource{Path: foreign}
	var ignored *controller.IgnoredError
	if err := provisioner.Delete(context.Background(), volume); !errors.As(err, &ignored) {
		t.Fatalf("got %v, want an IgnoredError", err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Fatalf("a directory that is not the provisioner's was removed: %v", err)
	}
}
