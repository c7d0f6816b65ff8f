import { useQueries } from '@tanstack/react-query';
import { buildApiUrl } from '../../data/base-url.ts';
import type { FilterToken } from '../../filters/filter-text.ts';
import { describeFilter } from '../../filters/filter-value.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { listMenusText } from './list-menus-text.ts';
import { buildQueryWithoutFilter, type RequestFilters } from './request-data.ts';

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
        title={listMenusText.empty.title}
        action={<Button onClick={onWiden}>{listMenusText.empty.widen}</Button>}
      >
        {listMenusText.empty.body}
      </EmptyState>
      <div className="mx-auto max-w-2xl px-4 pb-10">
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
      title={listMenusText.empty.filteredTitle}
      action={
        <>
          {(found.length > 0 ? found.map(({ token }) => token) : tokens).map((token) => (
            <Button key={token.name} onClick={() => onRemove(token.name)}>
              {listMenusText.empty.removeFilter(describeToken(token))}
            </Button>
          ))}
          <Button onClick={onWiden}>{listMenusText.empty.widen}</Button>
        </>
      }
    >
      {found.length === 0
        ? listMenusText.empty.filteredBody
        : found.map(({ token, page: { data, next_cursor } }) => (
            <span key={token.name} className="block">
              {listMenusText.empty.without(
                describeToken(token),
                next_cursor
                  ? listMenusText.export.moreThan(formatCountWithNoun(data.length, 'request'))
                  : formatCountWithNoun(data.length, 'request'),
              )}
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
    `curl -fsS ${buildApiUrl('gateway/v1/chat/completions').href} \\`,
    '  -H "Authorization: Bearer $FLOE_API_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello"}]}'`,
  ].join('\n');
}
