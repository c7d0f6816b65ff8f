import { useQueryClient } from '@tanstack/react-query';
import { Ban, Check, CheckCheck } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { send } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { useRefusal } from '../../data/use-refusal.ts';
import { duration } from '../../format/amounts.ts';
import { browserZone, clockTime } from '../../format/moments.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { tell } from '../../ui/toast.tsx';
import { eventName } from './decision-words.ts';
import { type Approval, RELAY } from './relay-data.ts';

type Answer = 'once' | 'session' | 'deny';

const TOLD = {
  once: 'Allowed once. The agent carries on.',
  session: 'Allowed for the rest of the session.',
  deny: 'Denied. The agent reads why.',
} as const;
const KEYS: Readonly<Record<string, Answer>> = { a: 'once', s: 'session', d: 'deny' };

/** One question. Its keys work only while the card itself has the focus, so that nothing is allowed by accident. */
export function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const { id, what, event, session_id, owner, key, agent } = approval;
  const [note, setNote] = useState('');
  const client = useQueryClient();
  const refusal = useRefusal('relay');
  const left = Date.parse(approval.expires_at) - useNow().getTime();
  const answer = useChange(
    async (given: Answer) => {
      const body = {
        decision: given === 'deny' ? 'deny' : 'allow',
        ...(given === 'session' ? { scope: 'session' } : {}),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      };
      return send<Approval>('POST', `${RELAY}/approvals/${encodeURIComponent(id)}`, body);
    },
    {
      touches: [['relay', 'approvals']],
      done: (_, given) => tell(TOLD[given]),
    },
  );
  const isOver = left <= 0;
  const press = (pressed: KeyboardEvent<HTMLElement>) => {
    if (pressed.target !== pressed.currentTarget || pressed.ctrlKey || pressed.metaKey || pressed.altKey)
      return;
    const given = KEYS[pressed.key];
    if (given === undefined || refusal !== null || isOver) return;
    if (given === 'session' && session_id === null) return;
    pressed.preventDefault();
    answer.run(given);
  };
  const big = 'max-md:h-12! max-md:w-full max-md:text-body';
  return (
    <article
      aria-label={`${owner ?? key}: ${what}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus says which card the keys are for.
      tabIndex={0}
      onKeyDown={press}
      className="grid gap-3 rounded-card border border-line bg-surface p-4"
    >
      <header className="flex flex-wrap items-baseline gap-x-2 text-ui">
        <span className="font-semibold">{owner ?? key}</span>
        <span className="text-ink-2">{[agent, approval.repository].filter(Boolean).join(' · ')}</span>
        <span className="ml-auto text-small text-ink-3 figures">
          asked {clockTime(new Date(approval.created_at), browserZone())}
        </span>
      </header>
      <p className="rounded-control border border-line bg-sunken px-3 py-2 font-mono text-code break-words whitespace-pre-wrap">
        {what}
      </p>
      <p className="text-ui text-ink-2">
        {eventName(event)}, asked by {approval.rules.join(', ')}.{' '}
        <OrgLink to="/relay/decisions" search={{ open: approval.decision_id, range: '24h' }}>
          See the decision
        </OrgLink>
      </p>
      <TimeLeft approval={approval} leftMs={left} />
      <Field label="Note the agent will read" optional>
        <Input
          value={note}
          maxLength={1000}
          disabled={refusal !== null}
          onChange={({ target }) => setNote(target.value)}
        />
      </Field>
      {answer.error && (
        <p role="alert" className="flex flex-wrap items-center gap-2 text-ui text-failing-ink">
          {answer.error.message}
          <Button onClick={() => void client.invalidateQueries({ queryKey: ['relay', 'approvals'] })}>
            Read again
          </Button>
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          icon={Check}
          needs="relay"
          busy={answer.running}
          disabled={isOver}
          className={big}
          onClick={() => answer.run('once')}
        >
          Allow once
        </Button>
        {session_id !== null && (
          <Button
            icon={CheckCheck}
            needs="relay"
            busy={answer.running}
            disabled={isOver}
            className={big}
            onClick={() => answer.run('session')}
          >
            Allow for this session
          </Button>
        )}
        <Button
          icon={Ban}
          needs="relay"
          busy={answer.running}
          disabled={isOver}
          className={big}
          onClick={() => answer.run('deny')}
        >
          Deny
        </Button>
      </div>
    </article>
  );
}

function TimeLeft({ approval, leftMs }: { readonly approval: Approval; readonly leftMs: number }) {
  if (leftMs <= 0)
    return <p className="text-ui text-ink-2">The time for an answer is over. The agent can ask again.</p>;
  const whole = Date.parse(approval.expires_at) - Date.parse(approval.created_at);
  const share = Math.min(1, leftMs / Math.max(1, whole));
  return (
    <div className="flex items-center gap-3 text-small text-ink-2 figures">
      <span aria-hidden="true" className="h-1.5 flex-1 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full rounded-full bg-waiting" style={{ width: `${share * 100}%` }} />
      </span>
      <span>{duration(Math.ceil(leftMs / 1000) * 1000)} left</span>
    </div>
  );
}
