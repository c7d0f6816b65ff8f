import type { relayReplayResult } from '@floe/contract/api/relay-management';
import { History } from 'lucide-react';
import { useState } from 'react';
import type * as z from 'zod';
import { OrgLink } from '../../app/org-link.tsx';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { type BackgroundJob, useBackgroundJob } from '../../data/background-job.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { ErrorState } from '../../ui/feedback.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { getEnforcedDecisionDisplay } from './decision-display.ts';
import { RELAY_API_PATH } from './relay-data.ts';
import { type RuleReplayCounts, summarizeRuleReplay } from './rule-replay-summary.ts';
import { ruleText } from './rule-text.ts';

const DAYS = [
  { id: '1', label: ruleText.replay.days(1) },
  { id: '7', label: ruleText.replay.days(7) },
  { id: '30', label: ruleText.replay.days(30) },
] as const;

type Answer = Omit<z.output<typeof relayReplayResult>, 'job'>;
type StartedReplay = Answer & { readonly job: BackgroundJob<Answer> | null };

interface ReplayResult {
  readonly answer: Answer;
  /** Identifies the time range and the draft that were evaluated. */
  readonly asked: string;
}

/**
 * Starts a replay of decisions and returns its state. A long replay continues as a background job. If the job
 * is interrupted, the partial result is returned.
 */
function useReplay(days: string, draft: readonly object[] | null | undefined, asked: string) {
  const [begun, setBegun] = useState<{ readonly answer: StartedReplay; readonly asked: string } | null>(null);
  const [before, setBefore] = useState<ReplayResult | null>(null);
  const begin = useApiMutation(
    (_of: string) =>
      sendJson<StartedReplay>('POST', `${RELAY_API_PATH}/replay`, {
        days: Number(days),
        ...(draft ? { rules: draft } : {}),
      }),
    { done: (answer, of) => setBegun({ answer, asked: of }) },
  );
  const job = useBackgroundJob(begun?.answer.job);
  const isWorking = job?.state === 'running';
  const finished = begun && !isWorking ? { answer: job?.result ?? begun.answer, asked: begun.asked } : null;
  const shown: ReplayResult | null = finished ?? before;
  return {
    shown,
    running: begin.running || isWorking,
    error: begin.error,
    run: () => {
      setBefore(shown);
      begin.run(asked);
    },
  };
}

/**
 * Renders a card that replays recent decisions and shows which of them would change. Uses the draft rules, or
 * the saved rules if there is no draft.
 */
export function RuleReplayCard({ draft }: { readonly draft?: readonly object[] | null | undefined }) {
  const [days, setDays] = useState('7');
  const asked = JSON.stringify([days, draft ?? null]);
  const { shown, running, error, run } = useReplay(days, draft, asked);
  const isStale = shown !== null && shown.asked !== asked;
  return (
    <Card
      title={ruleText.replay.title}
      aside={draft ? ruleText.replay.draftRemark : ruleText.replay.rulesRemark}
    >
      <div className="grid gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <SegmentedControl label={ruleText.replay.range} options={DAYS} value={days} onChange={setDays} />
          <Button icon={History} busy={running} disabled={draft === null} onClick={run}>
            {ruleText.replay.run}
          </Button>
        </div>
        {error && <ErrorState what={ruleText.replay.error} error={error} onRetry={run} />}
        {shown && !error && (
          <div className={isStale ? 'stale grid gap-3' : 'grid gap-3'}>
            <p role="status" className="text-body font-medium">
              {summarizeRuleReplay(shown.answer)}
            </p>
            <p className="text-ui text-ink-2">{describeReplay(shown.answer, isStale)}</p>
            <Changes changes={shown.answer.changes} />
          </div>
        )}
      </div>
    </Card>
  );
}

function describeReplay({ evaluated, skipped }: RuleReplayCounts, isStale: boolean): string {
  return [
    ruleText.replay.evaluated(evaluated),
    skipped > 0 && ruleText.replay.skipped(skipped),
    ruleText.replay.modesIgnored,
    isStale && ruleText.replay.stale,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

function Changes({ changes }: { readonly changes: Answer['changes'] }) {
  if (changes.length === 0) return null;
  return (
    <ul aria-label={ruleText.replay.changed} className="divide-y divide-line">
      {changes.map(({ decision_id, created_at, input_summary: what, before, after, rule }) => (
        <li key={decision_id} className="grid gap-0.5 py-2">
          <OrgLink
            to="/relay/decisions"
            search={{ open: decision_id, range: '30d' }}
            className="block truncate font-mono text-code text-accent-ink underlined"
          >
            {what}
          </OrgLink>
          <span className="text-small text-ink-2">
            {ruleText.replay.change(
              getEnforcedDecisionDisplay(before).word,
              getEnforcedDecisionDisplay(after).word,
              rule,
            )}{' '}
            · {formatFullDateTime(new Date(created_at), getBrowserTimeZone())}
          </span>
        </li>
      ))}
    </ul>
  );
}
