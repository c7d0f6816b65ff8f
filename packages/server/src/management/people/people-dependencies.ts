import type { JsonObject } from '@floe/contract/json';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import type { BackgroundJobRunner } from '../../platform/background-job-runner.ts';
import type { Database } from '../../store/store-interfaces.ts';
import type { StoredResponseRow } from '../../store/stored-responses.ts';
import type { MemberDependencies } from '../members/member-dependencies.ts';

/**
 * Decrypts the input and the response of a stored conversation turn.
 * @throws Fault `internal_error`
 */
export type DecryptStoredResponse = (row: StoredResponseRow) => {
  readonly input: readonly JsonObject[];
  readonly response: JsonObject;
};

/** The dependencies of the operations on one person's data. */
export interface PeopleDependencies {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly bodies: Pick<BodyStore, 'open'>;
  readonly openStoredResponse: DecryptStoredResponse;
  readonly jobRunner: BackgroundJobRunner;
  readonly members: Pick<MemberDependencies, 'endSessions'>;
}
