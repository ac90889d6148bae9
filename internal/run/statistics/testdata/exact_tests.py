"""Writes exact_tests.json: 1,000 random cases with exact two-sided p-values from scipy.

The statistic is the distance of the rank sum from its expectation, which is also what the exact tests of R's
package coin use (wilcox_test and wilcoxsign_test with zero.method "Wilcoxon"). scipy enumerates every permutation.

Usage: pip install scipy==1.17.1 numpy==2.4.6 && python exact_tests.py > exact_tests.json
"""
import json

import numpy
import scipy
from scipy.stats import fisher_exact, permutation_test, rankdata

random = numpy.random.default_rng(14)


def draw(n):
    """Returns n values with few or many ties, or none."""
    kind = random.integers(3)
    if kind == 0:
        return random.integers(1, 4, n)
    if kind == 1:
        return random.integers(1, 20, n)
    return random.permutation(1000)[:n] + 1


def rank_sum_case():
    n, m = int(random.integers(2, 9)), int(random.integers(2, 9))
    values = draw(n + m)
    baseline, candidate = values[:n], values[n:]
    expected = m * (n + m + 1) / 2

    def distance(x, y, axis):
        ranks = rankdata(numpy.concatenate((x, y), axis=axis), axis=axis)
        return abs(numpy.take(ranks, range(n, n + m), axis=axis).sum(axis=axis) - expected)

    p = 1.0
    if len(set(values)) > 1:
        p = permutation_test((baseline, candidate), distance, alternative="greater", vectorized=True, n_resamples=numpy.inf).pvalue
    return {"test": "rankSum", "baseline": baseline.tolist(), "candidate": candidate.tolist(), "p": float(p)}


def signed_rank_case():
    n = int(random.integers(2, 12))
    baseline, candidate = draw(n), draw(n)
    differences = (candidate - baseline)[candidate != baseline]
    p = 1.0
    if len(differences) > 1:
        ranks = rankdata(abs(differences))

        def distance(x, axis):
            return abs((numpy.sign(x) * ranks).sum(axis=axis))

        p = permutation_test((differences,), distance, permutation_type="samples", alternative="greater", vectorized=True, n_resamples=numpy.inf).pvalue
    return {"test": "signedRank", "baseline": baseline.tolist(), "candidate": candidate.tolist(), "p": float(p)}


def fisher_case():
    n, m = int(random.integers(1, 30)), int(random.integers(1, 30))
    a, b = int(random.integers(0, n + 1)), int(random.integers(0, m + 1))
    p = fisher_exact([[a, n - a], [b, m - b]]).pvalue
    return {"test": "fisher", "baseline": [a, n], "candidate": [b, m], "p": float(p)}


cases = [rank_sum_case() for _ in range(450)] + [signed_rank_case() for _ in range(450)] + [fisher_case() for _ in range(100)]
lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
print(f'{{"scipy":"{scipy.__version__}","numpy":"{numpy.__version__}","cases":[\n{lines}\n]}}')
