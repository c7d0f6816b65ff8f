import type { RequestDetail } from '@floe/contract/api/analytics';
import type { ExchangeAttempt } from '@floe/contract/api/attempts';
import { Snowflake } from 'lucide-react';
import { formatDuration } from '../../format/amounts.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { requestDetailText } from './request-detail-text.ts';
import { buildAttemptSegments } from './request-details.ts';

const LOOKS = { first_token: 'bg-series-1', streaming: 'bg-series-3', failure: 'bg-failing' } as const;

/**
 * Shows how long each part of a request took: the gateway, then each attempt. All parts share one axis from
 * the start to the end of the request.
 */
export function AttemptsTimeline({ request }: { readonly request: RequestDetail }) {
  const { attempts, latency_ms, overhead_ms, created_at, stream } = request;
  return (
    <div className="text-ui">
      <Axis totalMs={latency_ms} />
      <ul>
        <li className={ROW}>
          <span className="flex items-start gap-2">
            <Snowflake size={16} className="mt-0.5 shrink-0 text-accent-ink" aria-hidden="true" />
            <span>
              {requestDetailText.timeline.gateway}{' '}
              <span className="block text-small text-ink-3">{requestDetailText.timeline.gatewaySteps}</span>
            </span>
          </span>
          <span className={TRACK}>
            <Bar from={0} to={(overhead_ms ?? 0) / Math.max(latency_ms, 0.001)} look="bg-ink-3" />
          </span>
          <span className={LENGTH}>{formatDuration(overhead_ms)}</span>
        </li>
        {attempts.map((attempt) => (
          <AttemptRow
            key={attempt.n}
            attempt={attempt}
            startMs={Date.parse(created_at)}
            totalMs={latency_ms}
          />
        ))}
      </ul>
      {attempts.length > 0 && (
        <p className="mt-2 flex flex-wrap gap-4 text-small text-ink-2">
          <Mark look={LOOKS.first_token}>
            {stream ? requestDetailText.timeline.firstToken : requestDetailText.timeline.waiting}
          </Mark>
          {stream && <Mark look={LOOKS.streaming}>{requestDetailText.timeline.streaming}</Mark>}
          <Mark look={LOOKS.failure}>{requestDetailText.timeline.failure}</Mark>
        </p>
      )}
    </div>
  );
}

const ROW =
  'grid grid-cols-[1fr_auto] items-center gap-x-4 border-b border-line py-1.5 last:border-b-0 sm:grid-cols-[minmax(9rem,1fr)_2fr_4rem]';
const TRACK = 'relative h-2.5 max-sm:order-last max-sm:col-span-2 max-sm:mt-1.5';
const LENGTH = 'w-16 text-right text-ink-2 figures';

function AttemptRow({
  attempt,
  startMs,
  totalMs,
}: {
  readonly attempt: ExchangeAttempt;
  readonly startMs: number;
  readonly totalMs: number;
}) {
  const { n, provider, model, credential, status, error, duration_ms } = attempt;
  const failed = error !== null || (status !== null && status >= 400);
  return (
    <li className={ROW}>
      <span className="flex min-w-0 items-start gap-2">
        <span className="mt-0.5">
          <StatusIcon state={failed ? 'failing' : 'healthy'} />
        </span>
        <span className="min-w-0">
          <span className="block break-words">
            {n} · {provider}/{model}
          </span>
          <span className="block text-small break-words text-ink-3">
            {[
              credential === 'none' ? null : credential,
              status === null ? null : requestDetailText.timeline.status(status),
              error?.replaceAll('_', ' '),
            ]
              .filter((part) => part !== null && part !== undefined)
              .join(' · ')}
          </span>
        </span>
      </span>
      <span className={TRACK}>
        {buildAttemptSegments(attempt, startMs, totalMs).map(({ kind, from, to }) => (
          <Bar key={kind} from={from} to={to} look={LOOKS[kind]} />
        ))}
      </span>
      <span className={LENGTH}>{formatDuration(duration_ms)}</span>
    </li>
  );
}

function Bar({ from, to, look }: { readonly from: number; readonly to: number; readonly look: string }) {
  return (
    <span
      aria-hidden="true"
      style={{ left: `${from * 100}%`, width: `${Math.max(0, Math.min(1, to) - from) * 100}%` }}
      className={`absolute inset-y-0 min-w-0.5 rounded-tag ${look}`}
    />
  );
}

function Axis({ totalMs }: { readonly totalMs: number }) {
  return (
    <div className={`${ROW} pt-0! pb-1! text-micro text-ink-3 figures`} aria-hidden="true">
      <span className="flex justify-between max-sm:col-span-2 sm:col-start-2">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{share === 0 ? '0' : formatDuration(totalMs * share)}</span>
        ))}
      </span>
    </div>
  );
}

function Mark({ look, children }: { readonly look: string; readonly children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span className={`h-2 w-3 rounded-tag ${look}`} aria-hidden="true" />
      {children}
    </span>
  );
}
