/** Whether a rule's part fits: `maybe` when nobody can tell before it runs. */
export type MatchResult = 'no' | 'maybe' | 'yes';

/** All of several parts must fit. */
export function matchBoth(one: MatchResult, other: MatchResult): MatchResult {
  if (one === 'no' || other === 'no') return 'no';
  return one === 'yes' && other === 'yes' ? 'yes' : 'maybe';
}

/** One of several is enough. */
export function matchEither(one: MatchResult, other: MatchResult): MatchResult {
  if (one === 'yes' || other === 'yes') return 'yes';
  return one === 'no' && other === 'no' ? 'no' : 'maybe';
}

/** The best fit among several. */
export function matchAny<Item>(items: Iterable<Item>, fits: (item: Item) => MatchResult): MatchResult {
  let best: MatchResult = 'no';
  for (const item of items) {
    best = matchEither(best, fits(item));
    if (best === 'yes') break;
  }
  return best;
}
