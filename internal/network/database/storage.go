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

// existingStorage returns the size of the instance's volume, and false if the volume does not exist.
func (in Input) existingStorage(g memberGroup) (resource.Quantity, bool) {
	if in.Server.Storage.ExistingSize == nil {
		return resource.Quantity{}, false
	}
	return in.Server.Storage.ExistingSize(g.name)
}

// neededStorage returns the size that the volume should have: the requested size, or else the estimated size in
// whole GiB. The estimate covers the planned load with a safety factor, an empty schema per member, and the
// write-ahead log.
func (in Input) neededStorage(g memberGroup) resource.Quantity {
	if in.Server.Storage.Size != nil {
		return *in.Server.Storage.Size
	}
	var planned int64
	for _, m := range g.members {
		planned += m.Transactions*bytesPerTransaction + m.States*bytesPerState
	}
	bytes := planned*storageSafetyFactor + int64(len(g.members))*bytesPerSchema + maxWALBytes
	return *resource.NewQuantity((bytes+gibibyte-1)/gibibyte*gibibyte, resource.BinarySI)
}
