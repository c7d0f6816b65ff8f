import { type Query, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ApiError } from '../data/api-error.ts';
import { ORG_HEADER } from '../data/base-url.ts';
import { formatTimeOrDateTime, getBrowserTimeZone } from '../format/times.ts';
import { ErrorBanner } from './error-banner.tsx';

/**
 * Renders a banner if data on the page is outdated because it could not be refreshed. Pages keep showing such data.
 * An ended or moved session has its own banner, and a failed next page has its own message.
 */
export function OutdatedDataBanner() {
  const cache = useQueryClient().getQueryCache();
  const outdated = useSyncExternalStore(
    (changed) => cache.subscribe(changed),
    () => findOldest(cache.getAll().filter(isOutdated)),
  );
  if (!outdated?.state.error) return null;
  const { dataUpdatedAt, error } = outdated.state;
  const at = formatTimeOrDateTime(new Date(dataUpdatedAt), getBrowserTimeZone(), new Date());
  // Over the end of the page, because rows must not move while a person reads them.
  return (
    <div className="fixed inset-x-0 bottom-0 z-40">
      <ErrorBanner
        text={
          <>
            Some data on this page is outdated. It was last refreshed at {at}. {error.message}
          </>
        }
      />
    </div>
  );
}

function findOldest(queries: readonly Query[]): Query | undefined {
  return queries.reduce<Query | undefined>(
    (oldest, query) => (oldest && oldest.state.dataUpdatedAt <= query.state.dataUpdatedAt ? oldest : query),
    undefined,
  );
}

function isOutdated(query: Query): boolean {
  const { error, data, fetchMeta } = query.state;
  if (error === null || data === undefined || fetchMeta?.fetchMore || !query.isActive()) return false;
  return !(error instanceof ApiError && (error.status === 401 || error.param === ORG_HEADER));
}
