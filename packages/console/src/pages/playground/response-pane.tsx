import { useQuery } from '@tanstack/react-query';
import { CornerDownLeft } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { formatCount, formatDuration, formatMoney } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { getRequestModels, isCharged } from '../requests/request-rows.ts';
import type { ChatToolCall } from './chat-request.ts';
import { buildRecordedRequestQuery } from './playground-data.ts';
import type { ChatRun } from './run-chat.ts';
import { playgroundText } from './text.ts';

/** Shows the response of one model, its latency, tokens and cost, and a link to the request. */
export function ResponsePane({
  run,
  onContinue,
}: {
  readonly run: ChatRun | null;
  /** Adds the response to the conversation. Null while models are compared. */
  readonly onContinue: (() => void) | null;
}) {
  if (!run)
    return (
      <p className="rounded-card border border-dashed border-line-strong px-4 py-10 text-center text-ui text-ink-2">
        {playgroundText.answer.empty}
      </p>
    );
  const { answer, phase } = run;
  return (
    <article
      aria-label={playgroundText.answer.label(run.model)}
      className="min-w-0 rounded-card border border-line bg-surface"
    >
      <AnswerHead run={run} />
      <div className="grid gap-3 p-4">
        {answer.reasoning !== '' && (
          <details className="text-ui text-ink-2">
            <summary className="min-h-6">{playgroundText.answer.reasoning}</summary>
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
              {answer.calls.length > 0 ? playgroundText.answer.answerCall : playgroundText.answer.continue}
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
        <span className="text-small text-ink-2">
          {answer.text ? playgroundText.answer.writing : playgroundText.answer.waiting}
        </span>
      )}
      {phase === 'stopped' && <StatusBadge state="aborted">{playgroundText.answer.stopped}</StatusBadge>}
      {phase === 'failed' && <StatusBadge state="failing">{playgroundText.answer.failed}</StatusBadge>}
      {answer.text !== '' && <CopyButton text={answer.text} label={playgroundText.answer.copy} />}
    </header>
  );
}

function CallCard({ call }: { readonly call: ChatToolCall }) {
  return (
    <section className="rounded-control border border-line bg-sunken px-3 py-2">
      <h3 className="text-label text-ink-2">{playgroundText.answer.call(call.name)}</h3>
      <pre className="mt-1 font-mono text-code break-words whitespace-pre-wrap">{formatJson(call.args)}</pre>
    </section>
  );
}

/** Shows the error message of the gateway. */
function AnswerError({ run }: { readonly run: ChatRun }) {
  const failure = run.error ?? run.answer.failure;
  if (!failure) return null;
  return (
    <p
      role="alert"
      className="rounded-control border border-failing-line bg-failing-tint px-3 py-2 text-ui text-failing-ink"
    >
      {failure.message} <code className="font-mono text-code">{failure.code}</code>
    </p>
  );
}

function RunFigures({ run }: { readonly run: ChatRun }) {
  const isOver = run.phase !== 'running';
  const { data: row } = useQuery(buildRecordedRequestQuery(isOver ? run.requestId : null));
  const { outputTokens } = run.answer;
  const served = row && (getRequestModels(row).served ?? row.model);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-ink-2 figures">
      {run.firstMs !== null && <span>{playgroundText.figures.firstToken(formatDuration(run.firstMs))}</span>}
      {run.totalMs !== null && <span>{playgroundText.figures.total(formatDuration(run.totalMs))}</span>}
      {outputTokens !== null && <span>{playgroundText.figures.tokens(formatCount(outputTokens))}</span>}
      {row && (
        <span>
          {row.cost_nano_usd === null
            ? isCharged(row)
              ? playgroundText.figures.unknownCost
              : playgroundText.figures.noCost
            : formatMoney(row.cost_nano_usd)}
        </span>
      )}
      {row && served && (
        <span>
          {playgroundText.figures.servedBy(served)}
          {row.attempt_count > 1 && playgroundText.figures.attempt(row.attempt_count)}
        </span>
      )}
      {row && row.state === 'aborted' && <span>{playgroundText.figures.clientDisconnected}</span>}
      {isOver && run.requestId && (
        <OrgLink to={`/requests/${run.requestId}`}>{playgroundText.figures.openRequest}</OrgLink>
      )}
    </div>
  );
}

function formatJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
