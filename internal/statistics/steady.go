package statistics

// SteadyPolicy says when a measured series may end.
type SteadyPolicy struct {
	// HalfWidth of the confidence interval, as a share of the mean, at which the window may end; such as 0.05.
	HalfWidth float64
	// Confidence of that interval, such as 0.95.
	Confidence float64
	// MinWindow, MaxWarmUp and MaxWindow in seconds. MinWindow below ten batches (10 s) counts as 10.
	MinWindow, MaxWarmUp, MaxWindow int
}

// SteadyState is what a series says about its own warm-up and window.
type SteadyState struct {
	// Done says that measuring may end: the mean is known well enough, or a limit is reached.
	Done bool
	// Steady says that the series has left its warm-up and does not drift. Its mean may still be known less well than asked for:
	// then HalfWidth is above that of the policy.
	Steady bool
	// From and To bound the window: seconds of the series, From included, To not. From is a multiple of 5.
	From, To int
	// Mean of the window, per second, and half the width of its confidence interval as a share of it.
	Mean, HalfWidth float64
	// Method in short, such as "MSER-5, 12 batch means of 5 s".
	Method string
	// Reason for people: why it is done, or what it still waits for.
	Reason string
}

// Steady judges the completions of each second since the load began. It depends on nothing else: called every few seconds
// with all that there is, it gives the same answer for the same series, and once Done it stays with that answer, however the
// series goes on. The series may be cut off at the stop, or go on beyond it.
func Steady(_ []float64, _ SteadyPolicy) SteadyState {
	return SteadyState{}
}
