package v1alpha1

import "testing"

// TestDefaultsOfPurpose checks that a trial has its own defaults, and that each can still be set.
func TestDefaultsOfPurpose(t *testing.T) {
	class := "fast"
	type defaults struct {
		reservation Reservation
		storage     StorageType
		environment EnvironmentPolicy
	}
	for name, test := range map[string]struct {
		template NetworkTemplate
		measure  Measure
		want     defaults
	}{
		"measurement": {NetworkTemplate{Purpose: PurposeMeasurement}, Measure{}, defaults{ReservationFull, StoragePersistent, EnvironmentEnforce}},
		"trial":       {NetworkTemplate{Purpose: PurposeTrial}, Measure{}, defaults{ReservationMinimal, StorageEphemeral, EnvironmentRecord}},
		"set in a trial": {
			NetworkTemplate{Purpose: PurposeTrial, Members: MembersSpec{Reservation: ReservationFull, Storage: Storage{Type: StoragePersistent}}},
			Measure{EnvironmentPolicy: EnvironmentEnforce}, defaults{ReservationFull, StoragePersistent, EnvironmentEnforce},
		},
		"set in a measurement": {
			NetworkTemplate{Members: MembersSpec{Reservation: ReservationMinimal, Storage: Storage{Type: StorageEphemeral}}},
			Measure{EnvironmentPolicy: EnvironmentRecord}, defaults{ReservationMinimal, StorageEphemeral, EnvironmentRecord},
		},
		"storage class in a trial": {
			NetworkTemplate{Purpose: PurposeTrial, Members: MembersSpec{Storage: Storage{ClassName: &class}}},
			Measure{}, defaults{ReservationMinimal, StoragePersistent, EnvironmentRecord},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &test.template
			got := defaults{s.ReservationOrDefault(), s.StorageTypeOrDefault(&s.Members.Storage), s.EnvironmentPolicyOrDefault(&test.measure)}
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
