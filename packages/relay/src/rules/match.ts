/** Whether a rule's part fits: `maybe` when nobody can tell before it runs. */
export type Match = 'no' | 'maybe' | 'yes';

/** All of several parts must fit. */
export function both(one: Match, other: Match): Match {
  if (one === 'no' || other === 'no') return 'no';
  return one === 'yes' && other === 'yes' ? 'yes' : 'maybe';
}

/** One of several is enough. */
export function either(one: Match, other: Match): Match {
  if (one === 'yes' || other === 'yes') return 'yes';
  return one === 'no' && other === 'no' ? 'no' : 'maybe';
}

/** The best fit among several. */
export function anyOf<Item>(items: Iterable<Item>, fits: (item: Item) => Match): Match {
  let best: Match = 'no';
  for (const item of items) {
    best = either(best, fits(item));
    if (best === 'yes') break;
  }
  return best;
}
