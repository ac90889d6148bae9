package statistics

import (
	"math"
	"math/rand/v2"
)

// noiseSource returns the next number of a noise sequence.
type noiseSource func() float64

func whiteNoise(r *rand.Rand, deviation float64) noiseSource {
	return func() float64 { return deviation * r.NormFloat64() }
}

// autoregressiveNoise returns first-order autoregressive noise with this deviation.
func autoregressiveNoise(r *rand.Rand, phi, deviation float64) noiseSource {
	x := deviation * r.NormFloat64()
	return func() float64 {
		x = phi*x + deviation*math.Sqrt(1-phi*phi)*r.NormFloat64()
		return x
	}
}

// poissonCount returns a random number of arrivals in a second.
func poissonCount(r *rand.Rand, mean float64) float64 {
	n := 0.0
	for at := r.ExpFloat64(); at < mean; at += r.ExpFloat64() {
		n++
	}
	return n
}

// generateSeries returns a series of integer counts.
func generateSeries(seconds int, f func(second float64) float64) []float64 {
	series := make([]float64, seconds)
	for i := range series {
		series[i] = math.Round(max(0, f(float64(i))))
	}
	return series
}

func newSeededRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1997)) }

// simulatedSystems generate series with properties known by construction.
var simulatedSystems = map[string]func(r *rand.Rand, seconds int) []float64{
	"steady from the start, noise 10 %": func(r *rand.Rand, n int) []float64 {
		e := whiteNoise(r, 100)
		return generateSeries(n, func(float64) float64 { return 1000 + e() })
	},
	"ramp of 30 s, noise 5 %": func(r *rand.Rand, n int) []float64 {
		e := whiteNoise(r, 50)
		return generateSeries(n, func(s float64) float64 { return 1000*min(1, s/30) + e() })
	},
	"JIT warm-up, time constant 10 s, noise 10 %": func(r *rand.Rand, n int) []float64 {
		e := whiteNoise(r, 100)
		return generateSeries(n, func(s float64) float64 { return 1000*(1-math.Exp(-s/10)) + e() })
	},
	"JIT warm-up, time constant 20 s, correlated noise 10 %": func(r *rand.Rand, n int) []float64 {
		e := autoregressiveNoise(r, 0.5, 100)
		return generateSeries(n, func(s float64) float64 { return 1000*(1-math.Exp(-s/20)) + e() })
	},
	"correlated noise 10 %, lag 1 0.5": func(r *rand.Rand, n int) []float64 {
		e := autoregressiveNoise(r, 0.5, 100)
		return generateSeries(n, func(float64) float64 { return 1000 + e() })
	},
	"correlated noise 10 %, lag 1 0.8": func(r *rand.Rand, n int) []float64 {
		e := autoregressiveNoise(r, 0.8, 100)
		return generateSeries(n, func(float64) float64 { return 1000 + e() })
	},
	"sparse, 1 a second": func(r *rand.Rand, n int) []float64 {
		return generateSeries(n, func(float64) float64 { return poissonCount(r, 1) })
	},
	"sparse, 20 a second": func(r *rand.Rand, n int) []float64 {
		return generateSeries(n, func(float64) float64 { return poissonCount(r, 20) })
	},
	"trend without an end, +50 % a minute": func(r *rand.Rand, n int) []float64 {
		e := whiteNoise(r, 50)
		return generateSeries(n, func(s float64) float64 { return 1000*(1+s/120) + e() })
	},
	"level shift after 20 s, -20 %": func(r *rand.Rand, n int) []float64 {
		e := whiteNoise(r, 50)
		return generateSeries(n, func(s float64) float64 {
			if s < 20 {
				return 1000 + e()
			}
			return 800 + e()
		})
	},
	"oscillation, period 40 s, amplitude 20 %": func(r *rand.Rand, n int) []float64 {
		e, phase := whiteNoise(r, 50), 2*math.Pi*r.Float64()
		return generateSeries(n, func(s float64) float64 { return 1000 + 200*math.Sin(phase+2*math.Pi*s/40) + e() })
	},
	"blocks every 3 s": func(r *rand.Rand, n int) []float64 {
		e := whiteNoise(r, 100)
		return generateSeries(n, func(s float64) float64 {
			if int(s)%3 == 2 {
				return 3000 + e()
			}
			return 0
		})
	},
}
