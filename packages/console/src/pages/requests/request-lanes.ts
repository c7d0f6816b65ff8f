import type { Lane } from '../../ui/lanes.tsx';

interface Counts {
  readonly at: readonly string[];
  readonly series: readonly { readonly values: readonly (number | null)[] }[];
}

/** Volume above the line and what was not OK below it, of two answers over the same time. Pure. */
export function lanesOf(requests: Counts | undefined, errors: Counts | undefined): readonly Lane[] {
  const all = requests?.series[0]?.values ?? [];
  const bad = errors?.series[0]?.values ?? [];
  return (requests?.at ?? []).map((at, index) => {
    const wrong = bad[index] ?? 0;
    return { at: Date.parse(at), good: Math.max(0, (all[index] ?? 0) - wrong), bad: wrong };
  });
}
