import type { BoardConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import type { BoardRow } from '../../store/monitoring/boards.ts';
import type { DatabaseReader } from '../../store/ports.ts';
import { requireMonitorsExist } from '../require-monitors.ts';

/** A board shows so many monitors at most: its page stays one that is quick to make and to read. */
export const MAX_MONITORS_PER_BOARD = 500;

export interface BoardGroup {
  readonly name: string;
  /** Ids, in order. */
  readonly monitors: readonly string[];
}

const Groups = z.array(z.object({ name: z.string(), monitors: z.array(z.string()) }));

/** Groups as the column holds them. */
export function parseBoardGroups({
  groups_json: json,
}: Pick<BoardRow, 'groups_json'>): readonly BoardGroup[] {
  return Groups.parse(JSON.parse(json));
}

/**
 * The board, which names monitors of its org alone.
 *
 * @param before its groups until now
 * @throws Fault `invalid_request` with `param`
 */
export async function requireBoardMonitors(
  reader: DatabaseReader,
  orgId: string,
  board: BoardConfig,
  before: readonly BoardGroup[] = [],
): Promise<BoardConfig> {
  const named = board.groups.flatMap(({ monitors }, at) =>
    monitors.map((id, index) => ({ id, param: `groups[${at}].monitors[${index}]` })),
  );
  if (named.length > MAX_MONITORS_PER_BOARD)
    throw new Fault('invalid_request', `groups: must contain at most ${MAX_MONITORS_PER_BOARD} monitors`, {
      param: 'groups',
    });
  const known = before.flatMap(({ monitors }) => monitors);
  await requireMonitorsExist(reader, orgId, named, known);
  return board;
}
