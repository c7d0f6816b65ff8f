import type { job } from '@floe/contract/api/jobs';
import type { relayReplayAnswer } from '@floe/contract/api/relay-management';
import { History } from 'lucide-react';
import { useState } from 'react';
import type * as z from 'zod';
import { OrgLink } from '../../app/org-link.tsx';
import { get, send } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { browserZone, fullTime } from '../../format/moments.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/facts.tsx';
import { ErrorState } from '../../ui/feedback.tsx';
import { Segments } from '../../ui/tabs.tsx';
import { wouldOf } from './decision-words.ts';
import { RELAY } from './relay-data.ts';
import { type Replayed, replaySentence } from './replay-words.ts';

const DAYS = [
  { id: '1', label: '1 day' },
  { id: '7', label: '7 days' },
  { id: '30', label: '30 days' },
] as const;

type Answer = z.output<typeof relayReplayAnswer>;
type ReplayJob = Omit<z.output<typeof job>, 'result'> & { readonly result: Answer | null };

const LOOK_MS = 1_000;

/** What takes longer than a request is a job: looked at until it is over. One that broke off leaves what there was. */
async function replayed(draft: object): Promise<Answer> {
  const first = await send<Answer>('POST', `${RELAY}/replay`, draft);
  if (first.job === null) return first;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const { state, result } = await get<ReplayJob>(`/api/jobs/${first.job.id}`);
    if (state !== 'running') return result ?? first;
  }
}

/** What agents did in the last days, judged again: by the draft, or by the rules in force. */
export function Replay({ draft }: { readonly draft?: readonly object[] | null | undefined }) {
  const [days, setDays] = useState('7');
  const [shown, setShown] = useState<{ readonly answer: Answer; readonly asked: string } | null>(null);
  const asked = JSON.stringify([days, draft ?? null]);
  const replay = useChange(
    (of: string) =>
      replayed({ days: Number(days), ...(draft ? { rules: draft } : {}) }).then((answer) => ({
        answer,
        asked: of,
      })),
    { done: setShown },
  );
  const isStale = shown !== null && shown.asked !== asked;
  return (
    <Card
      title="Replay"
      aside={draft ? 'the last days against your draft' : 'the last days against the rules'}
    >
      <div className="grid gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <Segments label="How far back" options={DAYS} value={days} onChange={setDays} />
          <Button
            icon={History}
            busy={replay.running}
            disabled={draft === null}
            onClick={() => replay.run(asked)}
          >
            Replay
          </Button>
        </div>
        {replay.error && (
          <ErrorState what="Could not replay." error={replay.error} onRetry={() => replay.run(asked)} />
        )}
        {shown && !replay.error && (
          <div className={isStale ? 'stale grid gap-3' : 'grid gap-3'}>
            <p role="status" className="text-body font-medium">
              {replaySentence(shown.answer)}
            </p>
            <p className="text-ui text-ink-2">{lookedAt(shown.answer, isStale)}</p>
            <Changes changes={shown.answer.changes} />
          </div>
        )}
      </div>
    </Card>
  );
}

function lookedAt({ looked_at, skipped }: Replayed, isStale: boolean): string {
  const parts = [
    `${looked_at} decisions were judged again`,
    ...(skipped > 0 ? [`${skipped} keep no text or were too many for the time there is`] : []),
    ...(isStale ? ['the draft has changed since'] : []),
  ];
  return `${parts.join('; ')}.`;
}

function Changes({ changes }: { readonly changes: Answer['changes'] }) {
  if (changes.length === 0) return null;
  return (
    <ul aria-label="Decisions that would differ" className="divide-y divide-line">
      {changes.map(({ decision_id, created_at, what, before, after, rule }) => (
        <li key={decision_id} className="grid gap-0.5 py-2">
          <OrgLink
            to="/relay/decisions"
            search={{ open: decision_id, range: '30d' }}
            className="block truncate font-mono text-code text-accent-ink underlined"
          >
            {what}
          </OrgLink>
          <span className="text-small text-ink-2">
            {wouldOf(before).word} → {wouldOf(after).word}
            {rule && ` by ${rule}`} · {fullTime(new Date(created_at), browserZone())}
          </span>
        </li>
      ))}
    </ul>
  );
}
