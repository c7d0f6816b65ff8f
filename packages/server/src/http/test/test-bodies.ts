import { type BodyStore, createBodyStore } from '../../gateway/bodies/body-store.ts';
import { buildStoredBody } from '../../gateway/bodies/stored-body.ts';
import { deriveStoredBodiesKey } from '../../platform/secrets.ts';
import { insertStoredBodies, type StoredBodiesRow } from '../../store/stored-bodies.ts';
import { API_TEST_NOW, type RunningApi } from './running-api.ts';

const bodiesKey = deriveStoredBodiesKey(Buffer.alloc(32, 9));

/** Creates a body store that encrypts like the gateway and passes its rows to `append`. */
export function createTestBodyStore(append: (row: StoredBodiesRow) => void = () => undefined): BodyStore {
  return createBodyStore({ append }, bodiesKey);
}

/** Stores the bodies of a request that the gateway received a second ago, redacted as by default. */
export async function storeTestBodies(
  { database }: Pick<RunningApi, 'database'>,
  orgId: string,
  id: string,
  given: { readonly request?: object; readonly answer?: object; readonly owner?: string },
): Promise<void> {
  const { request, answer, owner = null } = given;
  const rows: StoredBodiesRow[] = [];
  const kept = (body?: object) =>
    body === undefined ? null : buildStoredBody(Buffer.from(JSON.stringify(body)), 0, true);
  const whose = { id, orgId, keyId: 'key_kept', owner, createdAt: API_TEST_NOW - 1_000 };
  createTestBodyStore((row) => rows.push(row)).store(whose, { request: kept(request), answer: kept(answer) });
  await database.transaction((writer) => insertStoredBodies(writer, rows));
}
