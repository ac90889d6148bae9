package database

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	// bytesPerTransaction and bytesPerState: R3's rule of thumb, 10 KB each (SQL Server 2017).
	bytesPerTransaction = 10_000
	bytesPerState       = 10_000
	// storageSafety covers indexes, bloat between vacuums, warm-up and repeated windows.
	storageSafety = 2
	// walBytes is max_wal_size's default, 1 GB, which the write-ahead log may reach between checkpoints.
	walBytes = 1 << 30
	// bytesPerSchema of a member before the first transaction: 0.9 MB measured for Corda 4.10 with finance on PostgreSQL 15.
	bytesPerSchema = 1_000_000

	// dataVolume is the name of the volume in the project's chart.
	dataVolume = "data"
)

// storage is the volume's size: what exists, else as asked, else in whole GiB what the planned load writes with its
// safety, an empty schema per member and the write-ahead log.
func (in Input) storage(g group) resource.Quantity {
	if size, ok := in.Server.Storage.Existing[g.name]; ok {
		return size
	}
	if in.Server.Storage.Size != nil {
		return *in.Server.Storage.Size
	}
	var planned int64
	for _, m := range g.members {
		planned += m.Transactions*bytesPerTransaction + m.States*bytesPerState
	}
	bytes := planned*storageSafety + int64(len(g.members))*bytesPerSchema + walBytes
	return *resource.NewQuantity((bytes+gibibyte-1)/gibibyte*gibibyte, resource.BinarySI)
}

// StorageOf is the size of the data volume of an instance of the project's chart, from its StatefulSet, for Storage.Existing.
func StorageOf(set *appsv1.StatefulSet) (resource.Quantity, bool) {
	for _, claim := range set.Spec.VolumeClaimTemplates {
		if claim.Name == dataVolume {
			return *claim.Spec.Resources.Requests.Storage(), true
		}
	}
	for _, v := range set.Spec.Template.Spec.Volumes {
		if v.Name == dataVolume && v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil {
			return *v.EmptyDir.SizeLimit, true
		}
	}
	return resource.Quantity{}, false
}
