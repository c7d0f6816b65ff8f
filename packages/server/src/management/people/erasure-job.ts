import type { JsonObject } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import type { Actor } from '../../platform/actor.ts';
import type { RunningBackgroundJob } from '../../platform/background-job-runner.ts';
import { erasePersonAccount } from '../../store/people/erase-person-account.ts';
import { erasePersonRows } from '../../store/people/erase-person-rows.ts';
import type { Person, PersonCounts } from '../../store/people/person.ts';
import type { Database } from '../../store/ports.ts';
import { recordAuditedChange } from '../audited-change.ts';

/** An erasure whose access part is committed. */
export interface ErasureWork {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly person: Person;
  /** The id by which the audit log names the person. */
  readonly subject: string;
  /** What the request already erased. The job adds to it. */
  readonly counts: PersonCounts;
  readonly actor: Actor;
  readonly clock: Clock;
}

/**
 * Erases rows in batches, then the account. Records the counts in the audit log, in the transaction that
 * erases the account. Returns the number of erased objects by kind.
 */
export async function runErasure(work: ErasureWork, handle: RunningBackgroundJob): Promise<JsonObject> {
  const { database, person, counts, subject, actor, clock } = work;
  const { signal } = handle;
  const onProgress = () => handle.progress(sum(counts), null);
  await erasePersonRows({ database, person, counts, signal, onProgress });
  return database.transaction(async (writer) => {
    const account = await erasePersonAccount(writer, person);
    const erased: Record<string, number> = { ...counts };
    for (const [kind, count] of Object.entries(account)) erased[kind] = (erased[kind] ?? 0) + count;
    await recordAuditedChange(writer, { clock }, actor, {
      action: 'people.erased',
      subject,
      before: null,
      after: { erased },
    });
    return { person: subject, erased };
  });
}

function sum(counts: PersonCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
