"""Writes equivalence.json: 60 random cases with the p-values of two one-sided Welch tests of scipy.

Usage: pip install scipy==1.17.1 numpy==2.4.6 && python equivalence.py > equivalence.json
"""
import json
import math

import numpy
from scipy.stats import ttest_ind

random = numpy.random.default_rng(14)


def case():
    n, m = random.integers(5, 15, 2)
    margin = float(random.choice([0.05, 0.1, 0.2]))
    shift = random.choice([0, 0.05, 0.1, 0.3, -0.1])
    baseline = numpy.round(numpy.exp(random.normal(4, 0.05, n)), 3)
    candidate = numpy.round(numpy.exp(random.normal(4 + shift, random.choice([0.02, 0.1]), m)), 3)
    bound = math.log1p(margin)
    b, c = numpy.log(baseline), numpy.log(candidate)

    def welch(shifted, alternative):
        return ttest_ind(c - shifted, b, equal_var=False, alternative=alternative)

    within = [welch(bound, "less"), welch(-bound, "greater")]
    beyond = [welch(bound, "greater"), welch(-bound, "less")]
    interval = welch(0, "two-sided").confidence_interval(0.9)
    return {"baseline": baseline.tolist(), "candidate": candidate.tolist(), "margin": margin,
            "p": max(r.pvalue for r in within), "beyond": min(1, 2 * min(r.pvalue for r in beyond)),
            "low": math.expm1(interval.low), "high": math.expm1(interval.high)}


print(json.dumps([case() for _ in range(60)]))
