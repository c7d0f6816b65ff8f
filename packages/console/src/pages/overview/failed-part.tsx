import type { UseQueryResult } from '@tanstack/react-query';
import { ErrorState } from '../../ui/feedback.tsx';

type PartQuery = Pick<UseQueryResult, 'data' | 'error' | 'refetch'>;

/** Returns whether a part of the page has no data because one of its queries failed. */
export function hasFailed(queries: readonly PartQuery[]): boolean {
  return queries.some(({ data, error }) => error !== null && data === undefined);
}

/** Shows why a part of the page could not be loaded. The button sends the failed queries again. */
export function FailedPart({
  what,
  queries,
}: {
  /** What failed, as a sentence. */
  readonly what: string;
  readonly queries: readonly PartQuery[];
}) {
  const failed = queries.filter((query) => hasFailed([query]));
  const error = failed[0]?.error;
  if (!error) return null;
  return (
    <ErrorState
      what={what}
      error={error}
      onRetry={() => {
        for (const query of failed) void query.refetch();
      }}
    />
  );
}
