import { useQuery } from '@tanstack/react-query';
import { CornerDownLeft } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { formatCount, formatDuration, formatMoney } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { outcomeOf, requestModels } from '../requests/request-rows.ts';
import type { ChatToolCall } from './chat-request.ts';
import { recordedRequestQuery } from './playground-data.ts';
import type { ChatRun } from './run-chat.ts';

/** What one model answered, what it took, and where to read why. */
export function AnswerPane({
  run,
  onContinue,
}: {
  readonly run: ChatRun | null;
  /** Takes the answer into the conversation. Null when it cannot be, as beside another one. */
  readonly onContinue: (() => void) | null;
}) {
  if (!run)
    return (
      <p className="rounded-card border border-dashed border-line-strong px-4 py-10 text-center text-ui text-ink-2">
        The answer will be here. Nothing is sent before you run.
      </p>
    );
  const { answer, phase } = run;
  return (
    <article
      aria-label={`Answer of ${run.model}`}
      className="min-w-0 rounded-card border border-line bg-surface"
    >
      <AnswerHead run={run} />
      <div className="grid gap-3 p-4">
        {answer.reasoning !== '' && (
          <details className="text-ui text-ink-2">
            <summary className="min-h-6">Reasoning</summary>
            <p className="mt-1 break-words whitespace-pre-wrap">{answer.reasoning}</p>
          </details>
        )}
        <p
          aria-live={phase === 'running' ? 'off' : 'polite'}
          className="min-h-5 text-body break-words whitespace-pre-wrap"
        >
          {answer.text}
          {phase === 'running' && (
            <span aria-hidden="true" className="text-accent">
              ▍
            </span>
          )}
        </p>
        {answer.calls.map((call) => (
          <CallCard key={call.id} call={call} />
        ))}
        <AnswerError run={run} />
      </div>
      <footer className="grid gap-2 border-t border-line px-4 py-2.5">
        <RunFigures run={run} />
        {phase === 'done' && onContinue && (
          <div>
            <Button icon={CornerDownLeft} onClick={onContinue}>
              {answer.calls.length > 0 ? 'Answer the call' : 'Go on from here'}
            </Button>
          </div>
        )}
      </footer>
    </article>
  );
}

function AnswerHead({ run }: { readonly run: ChatRun }) {
  const { answer, phase } = run;
  return (
    <header className="flex min-h-11 items-center gap-2 border-b border-line px-4">
      <h2 className="min-w-0 flex-1 truncate text-ui font-semibold">{run.model}</h2>
      {phase === 'running' && (
        <span className="text-small text-ink-2">{answer.text ? 'Writing…' : 'Waiting…'}</span>
      )}
      {phase === 'stopped' && <StatusBadge state="aborted">Stopped</StatusBadge>}
      {phase === 'failed' && <StatusBadge state="failing">Failed</StatusBadge>}
      {answer.text !== '' && <CopyButton text={answer.text} label="Copy the answer" />}
    </header>
  );
}

function CallCard({ call }: { readonly call: ChatToolCall }) {
  return (
    <section className="rounded-control border border-line bg-sunken px-3 py-2">
      <h3 className="text-label text-ink-2">Calls {call.name}</h3>
      <pre className="mt-1 font-mono text-code break-words whitespace-pre-wrap">{formatJson(call.args)}</pre>
    </section>
  );
}

/** The gateway's own words, as every client gets them. */
function AnswerError({ run }: { readonly run: ChatRun }) {
  const told = run.error ?? run.answer.failure;
  if (!told) return null;
  return (
    <p
      role="alert"
      className="rounded-control border border-failing-line bg-failing-tint px-3 py-2 text-ui text-failing-ink"
    >
      {told.message} <code className="font-mono text-code">{told.code}</code>
    </p>
  );
}

function RunFigures({ run }: { readonly run: ChatRun }) {
  const isOver = run.phase !== 'running';
  const { data: row } = useQuery(recordedRequestQuery(isOver ? run.requestId : null));
  const { outputTokens } = run.answer;
  const served = row && (requestModels(row).served ?? row.model);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-ink-2 figures">
      {run.firstMs !== null && <span>{formatDuration(run.firstMs)} to the first token</span>}
      {run.totalMs !== null && <span>{formatDuration(run.totalMs)}</span>}
      {outputTokens !== null && <span>{formatCount(outputTokens)} tokens</span>}
      {row && (
        <span>
          {row.cost_nano_usd === null
            ? `cost ${outcomeOf(row).state === 'healthy' ? 'unknown' : '–'}`
            : formatMoney(row.cost_nano_usd)}
        </span>
      )}
      {row && served && (
        <span>
          served by {served}
          {row.attempt_count > 1 && `, attempt ${row.attempt_count}`}
        </span>
      )}
      {row && row.state === 'aborted' && <span>Client left</span>}
      {isOver && run.requestId && (
        <OrgLink to={`/requests/${run.requestId}`}>See what happened to it</OrgLink>
      )}
    </div>
  );
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
