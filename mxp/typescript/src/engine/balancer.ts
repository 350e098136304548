import type { Outlier } from "./outlier.js";

/** What a choice of connections looks at. */
export interface Candidate {
  /** How many requests of this side's have a place. */
  readonly inFlight: number;
  readonly outlier: Outlier;
}

/**
 * The less busy of two that are chosen at random, without outliers unless these are more than half
 * [MXP-14.9] [MXP-14.10]; undefined if there is none.
 */
export function lessBusy<T extends Candidate>(all: readonly T[], keepOutliers: boolean, draw: () => number): T | undefined {
  const inliers = keepOutliers ? all : all.filter(({ outlier }) => !outlier.leftOut);
  const from = 2 * inliers.length < all.length ? all : inliers;
  if (from.length < 2) {
    return from[0];
  }
  const first = Math.floor(draw() * from.length);
  const second = (first + 1 + Math.floor(draw() * (from.length - 1))) % from.length;
  const [a, b] = [from[first] as T, from[second] as T];
  return b.inFlight < a.inFlight ? b : a;
}
