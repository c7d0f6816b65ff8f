import type { JsonObject } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import type { Actor } from '../../platform/actor.ts';
import type { BackgroundJobHandle } from '../../platform/background-job-runner.ts';
import { erasePersonAccount } from '../../store/people/erase-person-account.ts';
import { erasePersonRows } from '../../store/people/erase-person-rows.ts';
import type { Person, PersonRecordCounts } from '../../store/people/person.ts';
import type { Database } from '../../store/store-interfaces.ts';
import { recordAuditedChanges } from '../audited-change.ts';

/** An erasure whose first step is committed. The first step ends the person's access. */
export interface PersonErasureContext {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly person: Person;
  /** The id by which the audit log names the person. */
  readonly subject: string;
  /** What the request already erased. The job adds to it. */
  readonly counts: PersonRecordCounts;
  readonly actor: Actor;
  readonly clock: Clock;
}

/**
 * Erases the person's rows in batches, then the account. Records the counts in the audit log, in the
 * transaction that erases the account. Returns the number of erased objects by kind. The result does
 * not identify the person, because the job is stored for several days.
 */
export async function runPersonErasure(
  work: PersonErasureContext,
  handle: BackgroundJobHandle,
): Promise<JsonObject> {
  const { database, person, counts, subject, actor, clock } = work;
  const { signal } = handle;
  const onProgress = () => handle.progress(sum(counts), null);
  await erasePersonRows({ database, person, counts, signal, onProgress });
  return database.transaction(async (writer) => {
    const account = await erasePersonAccount(writer, person);
    // The request itself added the entry when it removed the member.
    if (counts.member) delete account.removed_member;
    const erased = Object.fromEntries(
      listErasedKinds([...Object.entries(counts), ...Object.entries(account)]),
    );
    await recordAuditedChanges(writer, { clock }, actor, [
      {
        action: 'people.erased',
        subject,
        before: null,
        after: { erased },
      },
    ]);
    return { erased };
  });
}

/** Returns the sum for each kind. Omits kinds for which nothing was erased. */
function listErasedKinds(counts: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [kind, count] of counts) if (count > 0) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return sums;
}

function sum(counts: PersonRecordCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
