"""How sure a median is."""

from dataclasses import dataclass
from math import comb
from statistics import median


@dataclass(frozen=True)
class Interval:
    """A median, and bounds between which the true one lies with 95 % or more; of fewer than six samples, the least and the greatest."""

    median: float
    low: float
    high: float
    samples: int

    def text(self):
        """Give the bounds, and how few samples there were if they were too few."""
        few = "" if rank(self.samples) else f" in {self.samples} rounds"
        return f"({self.low:,.2f} to {self.high:,.2f}{few})"


def rank(count):
    """Give the greatest rank, from 1, below which the median is with 2.5 % or less; 0 if there is none.

    How many samples are below the median is binomial: H. A. David, H. N. Nagaraja, Order Statistics, 3rd edition, 7.1.
    """
    below = [sum(comb(count, i) for i in range(k)) / 2**count for k in range(count + 1)]
    return max(k for k, probability in enumerate(below) if probability <= 0.025)


def interval(samples):
    """Give the interval of samples that don't depend on each other."""
    ordered, at = sorted(samples), max(rank(len(samples)), 1) - 1
    return Interval(median(ordered), ordered[at], ordered[-1 - at], len(ordered))
