import type { storedExchangeBodies } from '@floe/contract/api/stored-bodies';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Download, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import type * as z from 'zod';
import { OrgLink } from '../../app/org-link.tsx';
import { getJson } from '../../data/api-client.ts';
import { ApiError } from '../../data/api-error.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { formatCount } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState, ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { formatJsonText, parseExactJson } from './body-json.ts';
import { type BodyMessage, type BodyMessagePart, parseBodyMessages } from './body-messages.ts';
import { requestDetailText } from './request-detail-text.ts';

type Bodies = z.output<typeof storedExchangeBodies>;
type Body = NonNullable<Bodies['request']>;

/** Returns the query for the stored bodies of a request. */
export function buildRequestBodiesQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id, 'bodies'],
    queryFn: ({ signal }) =>
      getJson<Bodies>(`api/analytics/requests/${encodeURIComponent(id)}/bodies`, undefined, signal),
    // Each view is recorded in the audit log, so bodies are never refetched automatically.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

/** Shows the stored request and response bodies. They are loaded when the user opens the tab. */
export function RequestBodies({ id }: { readonly id: string }) {
  const refusal = useDenialReason('playground');
  const { data, error, refetch } = useQuery({ ...buildRequestBodiesQuery(id), enabled: refusal === null });
  if (refusal) return <EmptyState title={requestDetailText.bodies.viewers}>{refusal}</EmptyState>;
  if (error instanceof ApiError && error.status === 404)
    return (
      <EmptyState title={requestDetailText.bodies.notStoredTitle}>
        {requestDetailText.bodies.notStored}{' '}
        <OrgLink to="/management/settings/data">{requestDetailText.bodies.dataSettings}</OrgLink>.{' '}
        {requestDetailText.bodies.notStoredMembers}
      </EmptyState>
    );
  if (error)
    return (
      <ErrorState what={requestDetailText.bodies.loadFailed} error={error} onRetry={() => void refetch()} />
    );
  if (!data) return <Skeleton className="h-40" />;
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-ui text-ink-2">
        <span className="flex-1">{requestDetailText.bodies.audited}</span>
        {data.request && !data.request.truncated && (
          <OrgLink
            to="/playground"
            search={{ from: id }}
            className="inline-flex items-center gap-1.5 text-accent-ink underlined"
          >
            <SquareTerminal size={16} strokeWidth={1.75} aria-hidden="true" />
            {requestDetailText.bodies.openPlayground}
          </OrgLink>
        )}
      </p>
      <BodyCard
        title={requestDetailText.bodies.request}
        body={data.request}
        none={requestDetailText.bodies.noRequest}
      />
      <BodyCard
        title={requestDetailText.bodies.answer}
        body={data.answer}
        none={requestDetailText.bodies.noAnswer}
      />
    </div>
  );
}

function BodyCard({
  title,
  body,
  none,
}: {
  readonly title: string;
  readonly body: Body | null;
  readonly none: string;
}) {
  const [as, setAs] = useState('messages');
  if (!body)
    return (
      <Card title={title}>
        <p className="text-ui text-ink-2">{none}</p>
      </Card>
    );
  const said = parseBodyMessages(body.text);
  const redacted = Object.entries(body.redacted);
  return (
    <Card
      title={title}
      aside={
        <span className="flex items-center gap-2">
          {requestDetailText.bodies.bytes(formatCount(body.bytes))}
          <Button look="quiet" icon={Download} onClick={() => save(title, body.text)}>
            {requestDetailText.bodies.download}
          </Button>
        </span>
      }
    >
      <div className="grid gap-3">
        {body.truncated && <Notice state="partial">{requestDetailText.bodies.truncated}</Notice>}
        {redacted.length > 0 && (
          <Notice state="unknown">
            {requestDetailText.bodies.redacted(
              redacted
                .map(([kind, count]) =>
                  requestDetailText.bodies.redactedPart(Number(count), kind.replaceAll('_', ' ')),
                )
                .join(', '),
            )}
          </Notice>
        )}
        {said && (
          <SegmentedControl
            label={requestDetailText.bodies.showAs(title)}
            options={[
              { id: 'messages', label: requestDetailText.bodies.messages },
              { id: 'raw', label: requestDetailText.bodies.asSent },
            ]}
            value={as}
            onChange={setAs}
          />
        )}
        {said && as === 'messages' ? <Conversation said={said} /> : <AsSent title={title} text={body.text} />}
      </div>
    </Card>
  );
}

/**
 * Shows the body as sent: as a tree, or as its text if parsing it would change its content. Rendered only if the user
 * selects it or if the body has no messages.
 */
function AsSent({ title, text }: { readonly title: string; readonly text: string }) {
  const value = parseExactJson(text);
  return value === null ? (
    <CodeBlock snippets={[{ label: title, code: formatJsonText(text) }]} />
  ) : (
    <JsonView value={value} label={requestDetailText.bodies.jsonLabel(title)} />
  );
}

function Conversation({ said }: { readonly said: readonly BodyMessage[] }) {
  return (
    <ol className="grid gap-3">
      {said.map(({ role, parts }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages never change their order.
        <li key={index} className="grid gap-1 sm:grid-cols-[5.5rem_1fr]">
          <span className="text-label text-ink-2 capitalize">{role}</span>
          <div className="grid min-w-0 gap-2">
            {parts.map((part, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above.
              <PartView key={at} part={part} />
            ))}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Shows text as plain text. Redacted content is highlighted. */
function PartView({ part }: { readonly part: BodyMessagePart }) {
  if (part.kind === 'text') return <BodyText text={part.text} />;
  if (part.kind === 'other') return <p className="text-ui text-ink-2">{part.description}</p>;
  const isCall = part.kind === 'call';
  return (
    <section className="rounded-control border border-line bg-sunken px-3 py-2">
      <h3 className="text-label text-ink-2">
        {isCall ? requestDetailText.bodies.call(part.name) : requestDetailText.bodies.result}
      </h3>
      <p className="mt-1 font-mono text-code break-words whitespace-pre-wrap">
        {isCall ? part.args : part.text}
      </p>
      {part.kind === 'result' &&
        // biome-ignore lint/suspicious/noArrayIndexKey: content parts never change their order.
        part.others.map((other, index) => <PartView key={index} part={other} />)}
    </section>
  );
}

function BodyText({ text }: { readonly text: string }) {
  return (
    <p className="text-ui break-words whitespace-pre-wrap">
      {text.split(/(\[redacted:[\w-]+\])/).map((piece, index) =>
        index % 2 === 0 ? (
          piece
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: segments keep the order of the text.
          <mark key={index} className="rounded-tag bg-unknown-tint px-1 text-unknown-ink">
            {requestDetailText.bodies.redactedMark(piece.slice(1, -1).replace('redacted:', ''))}
          </mark>
        ),
      )}
    </p>
  );
}

function save(title: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = `${title.toLowerCase()}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}
