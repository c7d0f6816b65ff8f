import type { RequestDetail } from '@floe/contract/api/analytics';
import { formatCount, formatDuration, formatMoney } from '../../format/amounts.ts';
import { StatStrip } from '../../ui/cards.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { outputSpeed } from './request-rows.ts';

/** The figures of one request. */
export function RequestStats({ request }: { readonly request: RequestDetail }) {
  const { usage, latency_ms, first_token_ms, overhead_ms, cost_nano_usd, attempts, state } = request;
  const speed = outputSpeed(request);
  const known = usage.input_tokens !== null || usage.output_tokens !== null;
  return (
    <StatStrip>
      <StatCard
        label="Latency"
        value={formatDuration(latency_ms)}
        remark={overhead_ms === null ? null : `${formatDuration(overhead_ms)} is ours`}
      />
      <StatCard
        label="First token"
        value={formatDuration(first_token_ms)}
        remark={first_token_ms === null ? 'not streamed' : null}
      />
      <StatCard label="Output speed" value={speed === null ? '–' : `${Math.round(speed)} tok/s`} />
      <StatCard
        label="Tokens"
        value={known ? formatCount((usage.input_tokens ?? 0) + (usage.output_tokens ?? 0)) : '–'}
        remark={usage.source === 'provider' ? 'as the provider counted' : usage.source}
      />
      <StatCard
        label="Cost"
        value={
          cost_nano_usd === null && state !== 'complete' && state !== 'partial'
            ? '–'
            : formatMoney(cost_nano_usd)
        }
      />
      <StatCard label="Attempts" value={attempts.length} />
    </StatStrip>
  );
}
