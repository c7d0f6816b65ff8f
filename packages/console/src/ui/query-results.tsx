import type { ReactNode } from 'react';
import type { useListRows } from '../data/lists.ts';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { ErrorState, SkeletonRows } from './feedback.tsx';
import { LoadMoreButton } from './load-more-button.tsx';

/** Renders a list, or a message if it is loading, failed to load or is empty. */
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
  if (answer.error && rows === undefined)
    return (
      <ErrorState
        what={`Could not load ${what}.`}
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  if (rows === undefined) return <SkeletonRows rows={6} />;
  if (rows.length === 0 && shown.length === 0) return empty;
  return (
    <>
      <DataTable
        total={answer.hasNextPage ? null : shown.length}
        {...table}
        rows={shown}
        onEnd={more}
        stale={answer.isPlaceholderData}
      />
      <LoadMoreButton nextPage={nextPage} />
    </>
  );
}
