import { useEffect, useState } from 'react';
import { getCurrentTime } from '../../data/server-clock.ts';
import { formatCount } from '../../format/amounts.ts';
import { Meter } from '../../ui/meter.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import type { Limit } from './limit-form.ts';
import { limitsText } from './text.ts';

/**
 * Shows the usage of one maximum of a limit, such as its requests per minute. If the limit counts each subject
 * separately, there is no single usage, so only the maximum is shown.
 */
export function LimitUsage({
  limit,
  bound,
}: {
  readonly limit: Limit;
  readonly bound: keyof typeof limitsText.bounds;
}) {
  const most = limit[bound];
  if (most === null) return <span className="text-ink-3">{limitsText.usage.none}</span>;
  const used = limit.state?.[`${bound}_used`] ?? null;
  if (used === null) return <span className="figures">{limitsText.usage.each(formatCount(most))}</span>;
  return (
    <Meter
      label={limitsText.bounds[bound]}
      used={used}
      most={most}
      text={limitsText.usage.used(formatCount(used), formatCount(most))}
    />
  );
}

/**
 * Shows how many seconds remain until an exhausted limit is fully available again. Renders nothing if the
 * limit is not exhausted.
 */
export function LimitReachedNotice({ limit: { rpm, tpm, state } }: { readonly limit: Limit }) {
  const waits = [
    { most: rpm, used: state?.rpm_used ?? 0, resetMs: state?.rpm_reset_ms ?? 0 },
    { most: tpm, used: state?.tpm_used ?? 0, resetMs: state?.tpm_reset_ms ?? 0 },
  ].filter(({ most, used }) => most !== null && used >= most);
  const longest = Math.max(0, ...waits.map(({ resetMs }) => resetMs));
  const left = useSecondsLeft(longest);
  if (waits.length === 0) return null;
  return <p className="text-ui text-failing-ink figures">{limitsText.usage.reached(left)}</p>;
}

/** Returns the whole seconds left of `ms`, counted down from when the value was received. */
function useSecondsLeft(ms: number): number {
  const [until, setUntil] = useState(() => getCurrentTime().getTime() + ms);
  const now = useNow();
  useEffect(() => setUntil(getCurrentTime().getTime() + ms), [ms]);
  return Math.max(0, Math.ceil((until - now.getTime()) / 1000));
}
