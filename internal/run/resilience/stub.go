package resilience

type Window struct {
	Completed []int64
	Due       []float64
}
type Span struct {
	Name                       string
	FromSeconds, HealedSeconds float64
}

func ScoreFaults(w Window, spans []Span) []Score { return make([]Score, len(spans)) }
