import { useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import type { ApiError } from '../../data/api-error.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { type BackgroundJob, useBackgroundJob } from '../../data/background-job.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import type { PolicyDryRunSummary } from './dry-run-text.ts';
import { type PolicyFormValues, toDryRunPolicy } from './policy-form.ts';
import { policiesText } from './text.ts';

const DAY_MS = 86_400_000;
/** The number of days, up to now, whose stored bodies a dry run evaluates. */
export const DRY_RUN_DAYS = 7;

/** The state of a dry run and the functions that start and stop it. */
export interface PolicyDryRunState {
  readonly start: () => void;
  readonly stop: () => void;
  readonly isRunning: boolean;
  readonly progress: { readonly done: number; readonly total: number | null } | null;
  /** The result of the last completed dry run, or null. */
  readonly result: PolicyDryRunSummary | null;
  /** Whether the policy has changed since that dry run. */
  readonly isStale: boolean;
  readonly error: ApiError | null;
  /** Why the last dry run has no result. Null if it has one. */
  readonly failure: string | null;
}

/**
 * Runs a draft policy on the bodies stored in the last seven days (`DRY_RUN_DAYS`). The server runs a
 * background job. This hook polls the job's progress.
 */
export function usePolicyDryRun(form: PolicyFormValues): PolicyDryRunState {
  const rule = JSON.stringify(toDryRunPolicy({ ...form, enabled: true, mode: 'monitor' }));
  const [begun, setBegun] = useState<{
    readonly job: BackgroundJob<PolicyDryRunSummary>;
    readonly rule: string;
  } | null>(null);
  const begin = useApiMutation(
    (policy: string) =>
      sendJson<BackgroundJob<PolicyDryRunSummary>>('POST', 'api/management/policies/dry-run/jobs', {
        policies: [JSON.parse(policy)],
        from: new Date(getCurrentTime().getTime() - DRY_RUN_DAYS * DAY_MS).toISOString(),
      }),
    { done: (started, policy) => setBegun({ job: started, rule: policy }) },
  );
  const stop = useApiMutation(
    (id: string) => sendJson<BackgroundJob<PolicyDryRunSummary>>('POST', `api/jobs/${id}/cancel`),
    {
      touches: [['jobs']],
    },
  );
  const id = begun?.job.id ?? '';
  const job = useBackgroundJob(begun?.job);
  const isRunning = begin.running || job?.state === 'running';
  return {
    start: () => begin.run(rule),
    stop: () => stop.run(id),
    isRunning,
    progress: isRunning ? { done: job?.done ?? 0, total: job?.total ?? null } : null,
    result: job?.state === 'done' ? job.result : null,
    isStale: begun !== null && begun.rule !== rule,
    error: begin.error,
    failure: job ? failureOf(job) : null,
  };
}

function failureOf({ state, error }: BackgroundJob<PolicyDryRunSummary>): string | null {
  if (state === 'failed') return error ?? policiesText.dryRun.failed;
  if (state === 'lost') return policiesText.dryRun.lost;
  return state === 'cancelled' ? policiesText.dryRun.stopped : null;
}
