import { job } from '@floe/contract/api/jobs';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { type Jobs, jobStateAt } from '../../platform/jobs.ts';
import { askCancel, type JobRow, jobById } from '../../store/jobs.ts';
import type { Reader } from '../../store/ports.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';

/** A job as it is at a moment. */
export function jobView(row: JobRow, nowMs: number): z.input<typeof job> {
  return {
    id: row.id,
    kind: row.kind,
    state: jobStateAt(row, nowMs),
    done: row.done,
    total: row.total,
    cancel_asked: row.cancel_asked === 1,
    created_by: row.created_by,
    created_at: new Date(row.created_at).toISOString(),
    ended_at: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    result: row.result_json === null ? null : JSON.parse(row.result_json),
    error: row.error,
  };
}

export const getJob = readVerb({
  name: 'jobs.get',
  method: 'GET',
  path: '/api/jobs/{id}',
  scope: 'management',
  summary: 'Read how far a job is, and what came of it',
  params: idParams,
  answer: job,
  async run({ orgId, reader, clock }, { params }) {
    return jobView(await existing(reader, orgId, params.id), clock.now());
  },
});

/** Asking once more changes nothing; a job that is over stays as it ended. */
export function cancelJob(jobs: Jobs): Verb {
  return writeVerb({
    name: 'jobs.cancel',
    method: 'POST',
    path: '/api/jobs/{id}/cancel',
    scope: 'management',
    summary: 'Ask a job to stop; within seconds it is cancelled, unless it was done before',
    params: idParams,
    answer: job,
    status: 200,
    changes: null,
    async run({ orgId, writer, clock }, { params }) {
      const before = await existing(writer, orgId, params.id);
      await askCancel(writer, orgId, params.id);
      jobs.cancel(params.id);
      const after = await existing(writer, orgId, params.id);
      const answer = jobView(after, clock.now());
      if (before.cancel_asked === after.cancel_asked) return { answer, audit: 'unchanged' };
      return {
        answer,
        audit: { subject: params.id, before: null, after: { kind: after.kind, cancel_asked: true } },
      };
    },
  });
}

/** @throws Fault `not_found` */
async function existing(reader: Reader, orgId: string, id: string): Promise<JobRow> {
  const row = await jobById(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No job has this id.');
  return row;
}
