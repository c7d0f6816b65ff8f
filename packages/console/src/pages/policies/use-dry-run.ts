import type { job } from '@floe/contract/api/jobs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type * as z from 'zod';
import { get, send } from '../../data/api-client.ts';
import type { ApiError } from '../../data/api-error.ts';
import { useChange } from '../../data/change.ts';
import type { DryRunResult } from './dry-run-words.ts';
import { type PolicyForm, triedPolicy } from './policy-form.ts';

type Job = z.output<typeof job>;

const LOOK_MS = 400;
const DAY_MS = 86_400_000;
export const DRY_RUN_DAYS = 7;

export interface DryRun {
  readonly start: () => void;
  readonly stop: () => void;
  readonly isRunning: boolean;
  readonly progress: { readonly done: number; readonly total: number | null } | null;
  /** Of the last one that came to its end. */
  readonly result: DryRunResult | null;
  /** The rule was changed since then. */
  readonly isStale: boolean;
  readonly error: ApiError | null;
  /** Why the last one has no result, if it was not stopped here. */
  readonly failure: string | null;
}

/** Judges what was kept of the last days by a draft, in the background of the server, and looks how far it is. */
export function useDryRun(form: PolicyForm): DryRun {
  const rule = JSON.stringify(triedPolicy({ ...form, enabled: true, mode: 'monitor' }));
  const [begun, setBegun] = useState<{ readonly job: Job; readonly rule: string } | null>(null);
  const begin = useChange(
    (policy: string) =>
      send<Job>('POST', 'api/management/policies/dry-run/jobs', {
        policies: [JSON.parse(policy)],
        from: new Date(Date.now() - DRY_RUN_DAYS * DAY_MS).toISOString(),
      }),
    { done: (started, policy) => setBegun({ job: started, rule: policy }) },
  );
  const stop = useChange((id: string) => send<Job>('POST', `api/jobs/${id}/cancel`), { touches: [['jobs']] });
  const id = begun?.job.id ?? '';
  const { data = begun?.job } = useQuery({
    queryKey: ['jobs', id],
    queryFn: ({ signal }) => get<Job>(`api/jobs/${id}`, undefined, signal),
    enabled: id !== '',
    // The first look comes after a while: what was just begun is known.
    initialData: begun?.job,
    staleTime: LOOK_MS,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? LOOK_MS : false),
  });
  const isRunning = begin.running || data?.state === 'running';
  return {
    start: () => begin.run(rule),
    stop: () => stop.run(id),
    isRunning,
    progress: isRunning ? { done: data?.done ?? 0, total: data?.total ?? null } : null,
    result: data?.state === 'done' ? trusted(data.result) : null,
    isStale: begun !== null && begun.rule !== rule,
    error: begin.error,
    failure: data ? failureOf(data) : null,
  };
}

function failureOf({ state, error }: Job): string | null {
  if (state === 'failed') return error ?? 'It failed.';
  if (state === 'lost') return 'The process that worked on it ended. Start it again.';
  return state === 'cancelled' ? 'Stopped.' : null;
}

/** A job of this kind ends with what the contract says. */
function trusted(result: unknown): DryRunResult {
  return result as DryRunResult;
}
