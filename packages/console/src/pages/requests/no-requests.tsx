import { useQueries } from '@tanstack/react-query';
import { apiUrl } from '../../data/base.ts';
import type { FilterToken } from '../../filters/filter-text.ts';
import { describeFilter } from '../../filters/filter-value.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { type RequestFilters, withoutFilterQuery } from './request-data.ts';

/** An empty list says why: nothing was ever sent, or the filters leave nothing. */
export function NoRequests({
  tokens,
  filters,
  onRemove,
  onWiden,
}: {
  readonly tokens: readonly FilterToken[];
  readonly filters: RequestFilters;
  readonly onRemove: (name: string) => void;
  readonly onWiden: () => void;
}) {
  if (tokens.length > 0)
    return <NoneMatch tokens={tokens} filters={filters} onRemove={onRemove} onWiden={onWiden} />;
  return (
    <>
      <EmptyState
        title="No requests in this time"
        action={<Button onClick={onWiden}>Widen to 7 days</Button>}
      >
        Each call through the gateway becomes a row here within a second.
      </EmptyState>
      <div className="mx-auto max-w-2xl px-4 pb-10">
        <CodeBlock snippets={[{ label: 'curl', code: firstRequest() }]} />
      </div>
    </>
  );
}

/** Which filter alone keeps rows away, and how many: the newest of them, as far as a page of the list goes. */
function NoneMatch({
  tokens,
  filters,
  onRemove,
  onWiden,
}: {
  readonly tokens: readonly FilterToken[];
  readonly filters: RequestFilters;
  readonly onRemove: (name: string) => void;
  readonly onWiden: () => void;
}) {
  const answers = useQueries({ queries: tokens.map(({ name }) => withoutFilterQuery(filters, name)) });
  const found = tokens.flatMap((token, index) => {
    const page = answers[index]?.data;
    return page && page.data.length > 0 ? [{ token, page }] : [];
  });
  return (
    <EmptyState
      title="No requests match"
      action={
        <>
          {(found.length > 0 ? found.map(({ token }) => token) : tokens).map((token) => (
            <Button key={token.name} onClick={() => onRemove(token.name)}>
              Remove {describeToken(token)}
            </Button>
          ))}
          <Button onClick={onWiden}>Widen to 7 days</Button>
        </>
      }
    >
      {found.length === 0
        ? 'Nothing in this time has all of these filters.'
        : found.map(({ token, page: { data, next_cursor } }) => (
            <span key={token.name} className="block">
              Without {describeToken(token)} there would be{' '}
              {next_cursor ? `more than ${data.length}` : data.length}.
            </span>
          ))}
    </EmptyState>
  );
}

function describeToken({ name, value }: FilterToken): string {
  const { operator, value: bare } = describeFilter(value);
  return `${name} ${operator} ${bare}`;
}

function firstRequest(): string {
  return [
    `curl -fsS ${apiUrl('gateway/v1/chat/completions').href} \\`,
    '  -H "Authorization: Bearer $FLOE_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello"}]}'`,
  ].join('\n');
}
