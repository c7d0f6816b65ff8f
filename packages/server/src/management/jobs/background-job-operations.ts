import { backgroundJobResource } from '@floe/contract/api/background-jobs';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { type BackgroundJobRunner, resolveBackgroundJobState } from '../../platform/background-job-runner.ts';
import {
  type BackgroundJobRow,
  findBackgroundJobById,
  requestBackgroundJobCancellation,
} from '../../store/background-jobs.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { defineReadOperation, defineWriteOperation, type Operation } from '../operation.ts';

/** Converts a background job row to the API format at `nowMs`. */
export function toBackgroundJobResource(
  row: BackgroundJobRow,
  nowMs: number,
): z.input<typeof backgroundJobResource> {
  return {
    id: row.id,
    kind: row.kind,
    state: resolveBackgroundJobState(row, nowMs),
    done: row.done,
    total: row.total,
    cancel_requested: row.cancel_requested === 1,
    created_by: row.created_by,
    created_at: new Date(row.created_at).toISOString(),
    ended_at: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    result: row.result_json === null ? null : JSON.parse(row.result_json),
    error: row.error,
  };
}

/** The operation that returns the progress and result of a background job (`GET /api/jobs/{id}`). */
export const getBackgroundJobOperation = defineReadOperation({
  name: 'jobs.get',
  method: 'GET',
  path: '/api/jobs/{id}',
  scope: 'management',
  summary: 'Read the progress and result of a background job',
  params: idParams,
  answer: backgroundJobResource,
  async run({ orgId, reader, clock }, { params }) {
    return toBackgroundJobResource(await requireJob(reader, orgId, params.id), clock.now());
  },
});

/**
 * Defines the operation that cancels a background job. It is idempotent: a job that has ended does
 * not change.
 */
export function defineCancelBackgroundJobOperation(jobs: BackgroundJobRunner): Operation {
  return defineWriteOperation({
    name: 'jobs.cancel',
    method: 'POST',
    path: '/api/jobs/{id}/cancel',
    scope: 'management',
    summary: 'Cancel a background job; the job stops within seconds unless it finishes first',
    params: idParams,
    answer: backgroundJobResource,
    status: 200,
    invalidates: null,
    async run({ orgId, writer, clock }, { params }) {
      const before = await requireJob(writer, orgId, params.id);
      await requestBackgroundJobCancellation(writer, orgId, params.id);
      jobs.cancel(params.id);
      const after = await requireJob(writer, orgId, params.id);
      const answer = toBackgroundJobResource(after, clock.now());
      if (before.cancel_requested === after.cancel_requested) return { answer, audit: 'unchanged' };
      return {
        answer,
        audit: { subject: params.id, before: null, after: { kind: after.kind, cancel_requested: true } },
      };
    },
  });
}

/** Loads a job of an org. @throws Fault `not_found` */
async function requireJob(reader: DatabaseReader, orgId: string, id: string): Promise<BackgroundJobRow> {
  const row = await findBackgroundJobById(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No background job has this id.');
  return row;
}
