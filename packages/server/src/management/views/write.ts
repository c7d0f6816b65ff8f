import type { view, viewBody } from '@floe/contract/api/views';
import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import { requireActorScope } from '../../platform/actor.ts';
import type { Reader, Writer } from '../../store/ports.ts';
import { countViews, putView, type ViewRow, viewById } from '../../store/views.ts';
import type { Change, VerbContext } from '../verb.ts';

const MOST_OF_ORG = 1_000;

export type View = z.input<typeof view>;
type Written = z.output<typeof viewBody>;

/** A view as the one who asks sees it. */
export function viewOf(row: ViewRow, asking: string): View {
  return {
    id: row.id,
    name: row.name,
    page: row.page,
    filters: JSON.parse(row.filters_json),
    shared: row.shared === 1,
    own: row.owner === asking,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}

/** @throws Fault `not_found`, also for a view of somebody else that is not shared */
export async function visibleView(
  reader: Reader,
  { orgId, actor }: VerbContext,
  id: string,
): Promise<ViewRow> {
  const row = await viewById(reader, orgId, id);
  if (row && (row.shared === 1 || row.owner === actor.id)) return row;
  throw new Fault('not_found', 'No view has this id.');
}

/**
 * Writes a view and says what changed. One's own needs no more than the right to look; one that is shared, or
 * was, is everybody's and needs `management`.
 *
 * @throws Fault `insufficient_scope`, `conflict` for the id of a view that whoever asks cannot see
 */
export async function keepView(
  context: VerbContext & { readonly writer: Writer },
  id: string,
  before: ViewRow | null,
  written: Written,
): Promise<{ readonly answer: View; readonly audit: Change }> {
  const { orgId, actor, clock, writer } = context;
  if (written.shared || before?.shared === 1) requireActorScope(actor, 'management');
  if (before && before.shared === 0 && before.owner !== actor.id)
    throw new Fault('conflict', 'Another view has this id; choose another.');
  if (!before && (await countViews(writer, orgId)) >= MOST_OF_ORG)
    throw new Fault('conflict', `An organization keeps ${MOST_OF_ORG} views; delete one.`);
  const now = clock.now();
  const row: ViewRow = {
    id,
    org_id: orgId,
    name: written.name,
    page: written.page,
    owner: before?.owner ?? actor.id,
    shared: written.shared ? 1 : 0,
    filters_json: JSON.stringify(written.filters),
    created_at: before?.created_at ?? now,
    updated_at: now,
    updated_by: actor.id,
  };
  await putView(writer, row);
  return {
    answer: viewOf(row, actor.id),
    audit: { subject: id, before: before && shown(before), after: shown(row) },
  };
}

export function shown({ name, page, shared, filters_json }: ViewRow): JsonObject {
  const filters: Json = JSON.parse(filters_json);
  return { name, page, shared: shared === 1, filters };
}
