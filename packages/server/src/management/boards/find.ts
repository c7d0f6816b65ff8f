import { Fault } from '@floe/contract/faults';
import { spotOf } from '../../platform/file-place.ts';
import { type BoardRow, boardById, boardBySlug } from '../../store/monitoring/boards.ts';
import type { Reader } from '../../store/ports.ts';

/** A board by id or slug. @throws Fault `not_found`, also for another org's board */
export async function existingBoard(reader: Reader, orgId: string, id: string): Promise<BoardRow> {
  const row = await boardById(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No board has this id or slug.');
  return row;
}

/** @throws Fault `not_found`; `managed_by_file` when it stands in floe.yaml */
export async function changeableBoard(reader: Reader, orgId: string, id: string): Promise<BoardRow> {
  const row = await existingBoard(reader, orgId, id);
  mustBeOwn(row);
  return row;
}

/** @throws Fault `managed_by_file` */
export function mustBeOwn(row: BoardRow): void {
  if (row.source !== 'file') return;
  throw new Fault('managed_by_file', `The board "${row.slug}" stands in ${spotOf(row)}; change it there.`);
}

/** @throws Fault `conflict`: slugs are unique in the installation */
export async function slugMustBeFree(reader: Reader, slug: string): Promise<void> {
  if (await boardBySlug(reader, slug))
    throw new Fault('conflict', `A board of this installation has the slug "${slug}" already.`, {
      param: 'slug',
    });
}
