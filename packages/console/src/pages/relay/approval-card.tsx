import { useQueryClient } from '@tanstack/react-query';
import { Ban, Check, CheckCheck } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { sendJson } from '../../data/api-client.ts';
import type { ApiError } from '../../data/api-error.ts';
import { type ApiMutation, useApiMutation } from '../../data/api-mutation.ts';
import { getServerTime } from '../../data/server-clock.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { formatDuration } from '../../format/amounts.ts';
import { formatClockTime, getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { Field, Input } from '../../ui/field.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { getAgentEventLabel } from './decision-display.ts';
import { type ApprovalResource, RELAY_API_PATH } from './relay-data.ts';
import { relayText } from './text.ts';

type Answer = 'once' | 'session' | 'deny';

const ANSWER_TOASTS = {
  once: relayText.approval.once,
  session: relayText.approval.session,
  deny: relayText.approval.denied,
} as const;
const KEYS: Readonly<Record<string, Answer>> = { a: 'once', s: 'session', d: 'deny' };

/**
 * Renders a pending approval. Its keyboard shortcuts work only while the card has the focus, so that the user
 * does not approve or deny an action by accident.
 */
export function ApprovalCard({
  approval,
  wanted = false,
}: {
  readonly approval: ApprovalResource;
  /** Whether the URL links to this approval. */
  readonly wanted?: boolean;
}) {
  const { input_summary: what, event, session_id, owner, key } = approval;
  const [note, setNote] = useState('');
  const refusal = useDenialReason('relay');
  // Renders every second. The server decides when the approval expires, so its clock counts.
  useNow();
  const left = Date.parse(approval.expires_at) - getServerTime().getTime();
  const answer = useAnswer(approval, note.trim());
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
  return (
    <article
      aria-label={relayText.approval.label(owner ?? relayText.coverage.key(key), what)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus selects the card that the shortcuts apply to.
      tabIndex={0}
      onKeyDown={press}
      className={joinClassNames(
        'grid gap-3 rounded-card border bg-surface p-4',
        wanted ? 'border-accent' : 'border-line',
      )}
    >
      <ApprovalHeader approval={approval} />
      <p className="rounded-control border border-line bg-sunken px-3 py-2 font-mono text-code break-words whitespace-pre-wrap">
        {what}
      </p>
      <p className="text-ui text-ink-2">
        {relayText.approval.matchedBy(getAgentEventLabel(event), approval.rules)}{' '}
        <OrgLink to="/relay/decisions" search={{ open: approval.decision_id, range: '24h' }}>
          {relayText.approval.viewDecision}
        </OrgLink>
      </p>
      <TimeLeft approval={approval} leftMs={left} />
      <Field label={relayText.approval.note} optional>
        <Input
          value={note}
          maxLength={1000}
          disabled={refusal !== null}
          onChange={({ target }) => setNote(target.value)}
        />
      </Field>
      {answer.error && <AnswerError error={answer.error} />}
      <Answers answer={answer} isOver={isOver} hasSession={session_id !== null} />
    </article>
  );
}

function useAnswer({ id }: ApprovalResource, note: string): ApiMutation<Answer> {
  return useApiMutation(
    async (given: Answer) => {
      const body = {
        decision: given === 'deny' ? 'deny' : 'allow',
        ...(given === 'session' ? { scope: 'session' } : {}),
        ...(note === '' ? {} : { note }),
      };
      return sendJson<ApprovalResource>(
        'POST',
        `${RELAY_API_PATH}/approvals/${encodeURIComponent(id)}`,
        body,
      );
    },
    {
      touches: [['relay', 'approvals']],
      done: (_, given) => showToast(ANSWER_TOASTS[given]),
    },
  );
}

function ApprovalHeader({ approval }: { readonly approval: ApprovalResource }) {
  const { owner, key, agent } = approval;
  return (
    <header className="flex flex-wrap items-baseline gap-x-2 text-ui">
      <span className="font-semibold">{owner ?? relayText.coverage.key(key)}</span>
      <span className="text-ink-2">{[agent, approval.repository].filter(Boolean).join(' · ')}</span>
      <span className="ml-auto text-small text-ink-3 figures">
        {relayText.approval.requested(formatClockTime(new Date(approval.created_at), getBrowserTimeZone()))}
      </span>
    </header>
  );
}

/**
 * Shows why the response failed, for example because another member responded first or the request has
 * expired.
 */
function AnswerError({ error }: { readonly error: ApiError }) {
  const client = useQueryClient();
  return (
    <p role="alert" className="flex flex-wrap items-center gap-2 text-ui text-failing-ink">
      {error.message}
      <Button onClick={() => void client.invalidateQueries({ queryKey: ['relay', 'approvals'] })}>
        {relayText.approval.refresh}
      </Button>
    </p>
  );
}

const BUTTONS = [
  { given: 'once', label: relayText.approval.allowOnce, icon: Check, look: 'primary' },
  { given: 'session', label: relayText.approval.allowForSession, icon: CheckCheck, look: 'secondary' },
  { given: 'deny', label: relayText.approval.deny, icon: Ban, look: 'secondary' },
] as const;

function Answers({
  answer,
  isOver,
  hasSession,
}: {
  readonly answer: ApiMutation<Answer>;
  readonly isOver: boolean;
  readonly hasSession: boolean;
}) {
  return (
    <div className="flex flex-wrap gap-2">
      {BUTTONS.filter(({ given }) => hasSession || given !== 'session').map(
        ({ given, label, icon, look }) => (
          <Button
            key={given}
            look={look}
            icon={icon}
            needs="relay"
            busy={answer.running}
            disabled={isOver}
            className="max-md:h-12! max-md:w-full max-md:text-body"
            onClick={() => answer.run(given)}
          >
            {label}
          </Button>
        ),
      )}
    </div>
  );
}

function TimeLeft({ approval, leftMs }: { readonly approval: ApprovalResource; readonly leftMs: number }) {
  if (leftMs <= 0) return <p className="text-ui text-ink-2">{relayText.approval.expired}</p>;
  const whole = Date.parse(approval.expires_at) - Date.parse(approval.created_at);
  const share = Math.min(1, leftMs / Math.max(1, whole));
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-ink-2 figures">
      <span aria-hidden="true" className="h-1.5 min-w-48 flex-1 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full rounded-full bg-waiting" style={{ width: `${share * 100}%` }} />
      </span>
      <span>{relayText.approval.timeLeft(formatDuration(Math.ceil(leftMs / 1000) * 1000))}</span>
    </div>
  );
}
