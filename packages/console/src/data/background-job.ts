import type { backgroundJobResource } from '@floe/contract/api/background-jobs';
import { useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from './api-client.ts';
import { ApiError } from './api-error.ts';

/** A background job of the server. `Result` is the type of its result and depends on the kind of job. */
export type BackgroundJob<Result> = Omit<z.output<typeof backgroundJobResource>, 'result'> & {
  readonly result: Result | null;
};

const LOOK_MS = 500;

/**
 * Returns the current state of a background job. Returns undefined if `startedJob` is not set. Polls the server
 * while the job is running and the component is rendered, because the server sends no events about jobs.
 */
export function useBackgroundJob<Result>(
  startedJob: BackgroundJob<Result> | null | undefined,
): BackgroundJob<Result> | undefined {
  const id = startedJob?.id ?? '';
  return useQuery({
    queryKey: ['jobs', id],
    queryFn: ({ signal }) => getJson<BackgroundJob<Result>>(`api/jobs/${id}`, undefined, signal),
    enabled: id !== '',
    // The first poll is delayed, because the response that started the job contains its state.
    ...(startedJob ? { initialData: startedJob } : {}),
    staleTime: LOOK_MS,
    refetchInterval: ({ state: { data, error } }) =>
      data?.state === 'running' && !isGone(error) ? LOOK_MS : false,
  }).data;
}

/** Whether the job no longer exists. The server deletes old jobs, so polling can stop. */
function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}
