import { Fault } from '@floe/contract/faults';
import { type BoardRow, boardById } from '../../store/monitoring/boards.ts';
import type { Reader } from '../../store/ports.ts';

/** A board by id or slug. @throws Fault `not_found`, also for another org's board */
export async function existingBoard(reader: Reader, orgId: string, id: string): Promise<BoardRow> {
  const row = await boardById(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No board has this id or slug.');
  return row;
}
