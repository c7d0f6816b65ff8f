import { count } from '../../format/amounts.ts';
import { Meter } from '../../ui/meter.tsx';
import type { Limit } from './limit-form.ts';

const BOUNDS = { rpm: 'Requests a minute', tpm: 'Tokens a minute', concurrency: 'At the same time' } as const;

/** How much of one bound is used; a rule with a bucket for each subject has no one figure. */
export function Use({ limit, bound }: { readonly limit: Limit; readonly bound: keyof typeof BOUNDS }) {
  const most = limit[bound];
  if (most === null) return <span className="text-ink-3">–</span>;
  const used = limit.state?.[`${bound}_used`] ?? null;
  if (used === null) return <span className="figures">{count(most)} each</span>;
  return <Meter label={BOUNDS[bound]} used={used} most={most} text={`${count(used)} / ${count(most)}`} />;
}
