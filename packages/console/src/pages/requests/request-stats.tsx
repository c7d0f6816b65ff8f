import type { RequestDetail } from '@floe/contract/api/analytics';
import { formatCount, formatDuration, formatMoney } from '../../format/amounts.ts';
import { StatStrip } from '../../ui/cards.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { detailText } from './detail-text.ts';
import { outputSpeed } from './request-details.ts';

const COUNTED_BY: Readonly<Record<string, string>> = detailText.stats.countedBy;

/** The figures of one request. */
export function RequestStats({ request }: { readonly request: RequestDetail }) {
  const { usage, latency_ms, first_token_ms, overhead_ms, cost_nano_usd, attempts, state } = request;
  const speed = outputSpeed(request);
  const known = usage.input_tokens !== null || usage.output_tokens !== null;
  return (
    <StatStrip>
      <StatCard
        label={detailText.stats.latency}
        value={formatDuration(latency_ms)}
        remark={overhead_ms === null ? null : detailText.stats.overhead(formatDuration(overhead_ms))}
      />
      <StatCard
        label={detailText.stats.firstToken}
        value={formatDuration(first_token_ms)}
        remark={first_token_ms === null ? detailText.stats.notStreamed : null}
      />
      <StatCard
        label={detailText.stats.outputSpeed}
        value={speed === null ? '–' : detailText.stats.tokensPerSecond(Math.round(speed))}
      />
      <StatCard
        label={detailText.stats.tokens}
        value={known ? formatCount((usage.input_tokens ?? 0) + (usage.output_tokens ?? 0)) : '–'}
        remark={COUNTED_BY[usage.source] ?? usage.source}
      />
      <StatCard
        label={detailText.stats.cost}
        value={
          cost_nano_usd === null && state !== 'complete' && state !== 'partial'
            ? '–'
            : formatMoney(cost_nano_usd)
        }
      />
      <StatCard label={detailText.stats.attempts} value={attempts.length} />
    </StatStrip>
  );
}
