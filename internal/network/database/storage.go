package database

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	// bytesPerTransaction and bytesPerState follow R3's rule of thumb, 10 KB each (SQL Server 2017).
	bytesPerTransaction = 10_000
	bytesPerState       = 10_000
	// storageSafetyFactor covers indexes, bloat between vacuums, warm-up and repeated windows.
	storageSafetyFactor = 2
	// maxWALBytes is the default of max_wal_size, 1 GB, which the write-ahead log may reach between
	// checkpoints.
	maxWALBytes = 1 << 30
	// bytesPerSchema is the size of a member's schema before the first transaction: 0.9 MB measured for Corda
	// 4.10 with finance on PostgreSQL 15.
	bytesPerSchema = 1_000_000

	// DataVolume is the name of the data volume in the project's chart.
	DataVolume = "data"
)

// neededStorage returns the size that the volume should have: the requested size, or else the estimated size in
// whole GiB. The estimate covers the planned load with a safety factor, an empty schema per member, and the
// write-ahead log.
func (in Input) neededStorage(g memberGroup) resource.Quantity {
	if storage := g.spec.ManagedOrDefault().Storage; storage != nil && storage.Size != nil {
		return *storage.Size
	}
	members := int64(len(g.members))
	planned := in.Requirements.PlannedTransactions*bytesPerTransaction + in.Requirements.PlannedStates*bytesPerState
	bytes := members*(planned*storageSafetyFactor+bytesPerSchema) + maxWALBytes
	return *resource.NewQuantity((bytes+gibibyte-1)/gibibyte*gibibyte, resource.BinarySI)
}
