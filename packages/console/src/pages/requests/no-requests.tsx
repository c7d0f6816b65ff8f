import type { RequestListPage } from '@floe/contract/api/analytics';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { getJson } from '../../data/api-client.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import type { FilterToken } from '../../filters/filter-text.ts';
import { describeFilterValue } from '../../filters/filter-value.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { REQUEST_PAGE_SIZE, type RequestFilters } from './request-data.ts';
import { requestListMenusText } from './request-list-menus-text.ts';

/**
 * Explains why the list is empty: there are no requests in the time range, or none of them match the filters.
 */
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
        title={requestListMenusText.empty.title}
        action={<Button onClick={onWiden}>{requestListMenusText.empty.widen}</Button>}
      >
        {requestListMenusText.empty.body}
      </EmptyState>
      <div className="mx-auto grid max-w-2xl gap-3 px-4 pb-10">
        <p className="text-ui text-ink-2">{requestListMenusText.empty.first}</p>
        <CodeBlock snippets={[{ label: 'curl', code: firstRequest() }]} />
      </div>
    </>
  );
}

/** Names a filter without which there would be rows, and their number, up to one page. */
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
  const answers = useQueries({ queries: tokens.map(({ name }) => buildQueryWithoutFilter(filters, name)) });
  const found = tokens.flatMap((token, index) => {
    const page = answers[index]?.data;
    return page && page.data.length > 0 ? [{ token, page }] : [];
  });
  return (
    <EmptyState
      title={requestListMenusText.empty.filteredTitle}
      action={
        <>
          {(found.length > 0 ? found.map(({ token }) => token) : tokens).map((token) => (
            <Button key={token.name} onClick={() => onRemove(token.name)}>
              {requestListMenusText.empty.removeFilter(describeToken(token))}
            </Button>
          ))}
          <Button onClick={onWiden}>{requestListMenusText.empty.widen}</Button>
        </>
      }
    >
      {found.length === 0
        ? requestListMenusText.empty.filteredBody
        : found.map(({ token, page: { data, next_cursor } }) => (
            <span key={token.name} className="block">
              {requestListMenusText.empty.without(
                describeToken(token),
                next_cursor
                  ? requestListMenusText.export.moreThan(formatCountWithNoun(data.length, 'request'))
                  : formatCountWithNoun(data.length, 'request'),
              )}
            </span>
          ))}
    </EmptyState>
  );
}

/** Returns the query for the requests that would match if the filter `name` were removed. */
function buildQueryWithoutFilter(filters: RequestFilters, name: string) {
  const { [name]: _, ...others } = filters;
  return queryOptions({
    queryKey: ['requests', 'fewer', others],
    queryFn: ({ signal }) =>
      getJson<RequestListPage>('api/analytics/requests', { ...others, limit: REQUEST_PAGE_SIZE }, signal),
  });
}

function describeToken({ name, value }: FilterToken): string {
  const { operator, value: bare } = describeFilterValue(value);
  return `${name} ${operator} ${bare}`;
}

function firstRequest(): string {
  return [
    `curl -fsS ${buildApiUrl('gateway/v1/chat/completions').href} \\`,
    '  -H "Authorization: Bearer $FLOE_API_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello"}]}'`,
  ].join('\n');
}
