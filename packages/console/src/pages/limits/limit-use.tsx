import { useEffect, useState } from 'react';
import { formatCount } from '../../format/amounts.ts';
import { Meter } from '../../ui/meter.tsx';
import { useNow } from '../../ui/time-text.tsx';
import type { Limit } from './limit-form.ts';

const BOUNDS = { rpm: 'Requests a minute', tpm: 'Tokens a minute', concurrency: 'At the same time' } as const;

/** How much of one bound is used; a rule with a bucket for each subject has no one figure. */
export function Use({ limit, bound }: { readonly limit: Limit; readonly bound: keyof typeof BOUNDS }) {
  const most = limit[bound];
  if (most === null) return <span className="text-ink-3">–</span>;
  const used = limit.state?.[`${bound}_used`] ?? null;
  if (used === null) return <span className="figures">{formatCount(most)} each</span>;
  return (
    <Meter
      label={BOUNDS[bound]}
      used={used}
      most={most}
      text={`${formatCount(used)} / ${formatCount(most)}`}
    />
  );
}

/** When a window that is full will be empty again, second by second; nothing while there is room. */
export function Room({ limit: { rpm, tpm, state } }: { readonly limit: Limit }) {
  const waits = [
    { most: rpm, used: state?.rpm_used ?? 0, resetMs: state?.rpm_reset_ms ?? 0 },
    { most: tpm, used: state?.tpm_used ?? 0, resetMs: state?.tpm_reset_ms ?? 0 },
  ].filter(({ most, used }) => most !== null && used >= most);
  const longest = Math.max(0, ...waits.map(({ resetMs }) => resetMs));
  const left = useSecondsLeft(longest);
  if (waits.length === 0) return null;
  return (
    <p className="text-ui text-failing-ink figures">
      Full: what comes now gets 429. All of it is free again in {left} s.
    </p>
  );
}

/** Whole seconds of `ms` that are left, counted from the moment it was told. */
function useSecondsLeft(ms: number): number {
  const [until, setUntil] = useState(() => Date.now() + ms);
  const now = useNow();
  useEffect(() => setUntil(Date.now() + ms), [ms]);
  return Math.max(0, Math.ceil((until - now.getTime()) / 1000));
}
