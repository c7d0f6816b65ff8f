/**
 * The result of matching a part of a rule. `maybe` means that it is unknown until the command runs.
 */
export type MatchResult = 'no' | 'maybe' | 'yes';

/** Combines the results of two parts of a rule that must both match. */
export function combineRequiredMatches(one: MatchResult, other: MatchResult): MatchResult {
  if (one === 'no' || other === 'no') return 'no';
  return one === 'yes' && other === 'yes' ? 'yes' : 'maybe';
}

/** Combines the results of two parts of a rule if it is enough that one of them matches. */
export function combineAlternativeMatches(one: MatchResult, other: MatchResult): MatchResult {
  if (one === 'yes' || other === 'yes') return 'yes';
  return one === 'no' && other === 'no' ? 'no' : 'maybe';
}

/**
 * Returns the best result of `fits` for several items. `yes` is better than `maybe`, and `maybe` is better
 * than `no`.
 */
export function findBestMatchResult<Item>(
  items: Iterable<Item>,
  fits: (item: Item) => MatchResult,
): MatchResult {
  let best: MatchResult = 'no';
  for (const item of items) {
    best = combineAlternativeMatches(best, fits(item));
    if (best === 'yes') break;
  }
  return best;
}
