import type { jobResource } from '@floe/contract/api/jobs';
import { useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from './api-client.ts';
import { ApiError } from './api-error.ts';

/** Work in the background of the server; `Result` is what its kind ends with, by the contract. */
export type Job<Result> = Omit<z.output<typeof jobResource>, 'result'> & { readonly result: Result | null };

const LOOK_MS = 500;

/**
 * How far a job is: looked at while it runs, and only as long as somebody looks at the part that shows it. No event
 * tells of jobs. Undefined without one.
 */
export function useJob<Result>(begun: Job<Result> | null | undefined): Job<Result> | undefined {
  const id = begun?.id ?? '';
  return useQuery({
    queryKey: ['jobs', id],
    queryFn: ({ signal }) => getJson<Job<Result>>(`api/jobs/${id}`, undefined, signal),
    enabled: id !== '',
    // The first look comes after a while: what was just begun is known.
    ...(begun ? { initialData: begun } : {}),
    staleTime: LOOK_MS,
    refetchInterval: ({ state: { data, error } }) =>
      data?.state === 'running' && !isGone(error) ? LOOK_MS : false,
  }).data;
}

/** Jobs are forgotten after a while: there is no use in asking on. */
function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}
