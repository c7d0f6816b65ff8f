import type { RequestDetail } from '@floe/contract/api/analytics';
import { formatCount, formatDuration, formatMoney } from '../../format/amounts.ts';
import { StatStrip } from '../../ui/cards.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { requestDetailText } from './request-detail-text.ts';
import { computeOutputSpeed } from './request-details.ts';
import { isCharged } from './request-rows.ts';

const COUNTED_BY: Readonly<Record<string, string>> = requestDetailText.stats.countedBy;

/** Shows the latency, speed, tokens, cost and attempts of one request. */
export function RequestStats({ request }: { readonly request: RequestDetail }) {
  const { usage, latency_ms, first_token_ms, overhead_ms, cost_nano_usd, attempts, state, stream } = request;
  const speed = computeOutputSpeed(request);
  const known = usage.input_tokens !== null || usage.output_tokens !== null;
  return (
    <StatStrip>
      <StatCard
        label={requestDetailText.stats.latency}
        value={formatDuration(latency_ms)}
        remark={overhead_ms === null ? null : requestDetailText.stats.overhead(formatDuration(overhead_ms))}
      />
      <StatCard
        label={requestDetailText.stats.firstToken}
        value={formatDuration(first_token_ms)}
        remark={
          first_token_ms === null
            ? stream
              ? requestDetailText.stats.noToken
              : requestDetailText.stats.notStreamed
            : null
        }
      />
      <StatCard
        label={requestDetailText.stats.outputSpeed}
        value={speed === null ? '–' : requestDetailText.stats.tokensPerSecond(Math.round(speed))}
      />
      <StatCard
        label={requestDetailText.stats.tokens}
        value={known ? formatCount((usage.input_tokens ?? 0) + (usage.output_tokens ?? 0)) : '–'}
        remark={COUNTED_BY[state === 'cached' ? state : usage.source] ?? usage.source}
      />
      <StatCard
        label={requestDetailText.stats.cost}
        value={cost_nano_usd === null && !isCharged(request) ? '–' : formatMoney(cost_nano_usd)}
      />
      <StatCard label={requestDetailText.stats.attempts} value={attempts.length} />
    </StatStrip>
  );
}
