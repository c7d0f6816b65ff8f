import { type ReactNode, useEffect } from 'react';
import type { useListRows } from '../data/lists.ts';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { ErrorState, SkeletonRows } from './feedback.tsx';
import { LoadMoreButton } from './load-more-button.tsx';

/**
 * Renders a list, or a message if it is loading, failed to load or is empty. Loads all pages of a sorted list, because
 * the API does not sort by columns, and the first row can be on the last page.
 */
export function QueryResults<Row>({
  list: { answer, rows, more, nextPage },
  what,
  shown = rows ?? [],
  empty,
  ...table
}: Omit<DataTableProps<Row>, 'rows'> & {
  readonly list: ReturnType<typeof useListRows<Row>>;
  /** What could not be loaded, such as `limits`. Used in the error message. */
  readonly what: string;
  /** The rows in display order, if it differs from the order of the response. */
  readonly shown?: readonly Row[];
  readonly empty: ReactNode;
}) {
  const isSorted = (table.sort ?? null) !== null;
  useEffect(() => {
    if (isSorted) more();
  }, [isSorted, more]);
  const isOrderIncomplete = isSorted && nextPage.exists && nextPage.error === null;
  if (answer.error && rows === undefined)
    return (
      <ErrorState
        what={`Could not load ${what}.`}
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  // The placeholder of an empty list says nothing about the list that is loading.
  if (rows === undefined || (rows.length === 0 && answer.isPlaceholderData)) return <SkeletonRows rows={6} />;
  if (rows.length === 0 && shown.length === 0) return empty;
  return (
    <>
      <DataTable
        total={answer.hasNextPage ? null : shown.length}
        {...table}
        rows={shown}
        onEnd={more}
        stale={answer.isPlaceholderData || isOrderIncomplete}
      />
      <LoadMoreButton nextPage={nextPage} />
    </>
  );
}
