import { type BodyStore, createBodyStore } from '../../gateway/bodies/body-store.ts';
import { keptBody } from '../../gateway/bodies/kept-body.ts';
import { deriveBodiesKey } from '../../platform/secrets.ts';
import { insertKeptBodies, type KeptBodiesRow } from '../../store/kept-bodies.ts';
import { NOW, type RunningApi } from './running-api.ts';

const bodiesKey = deriveBodiesKey(Buffer.alloc(32, 9));

/** Kept bodies as the gateway seals them, handed to `append`. */
export function bodyStore(append: (row: KeptBodiesRow) => void = () => undefined): BodyStore {
  return createBodyStore({ append }, bodiesKey);
}

/** Keeps bodies of a request as the gateway would have, a second ago. */
export async function keepBodies(
  { database }: Pick<RunningApi, 'database'>,
  orgId: string,
  id: string,
  given: { readonly request?: object; readonly answer?: object; readonly owner?: string },
): Promise<void> {
  const { request, answer, owner = null } = given;
  const rows: KeptBodiesRow[] = [];
  const kept = (body?: object) =>
    body === undefined ? null : keptBody(Buffer.from(JSON.stringify(body)), 0, false);
  const whose = { id, orgId, keyId: 'key_kept', owner, createdAt: NOW - 1_000 };
  bodyStore((row) => rows.push(row)).keep(whose, { request: kept(request), answer: kept(answer) });
  await database.transaction((writer) => insertKeptBodies(writer, rows));
}
