import type { BoardConfig } from '@floe/contract/config';
import * as z from 'zod';
import type { BoardRow } from '../../store/monitoring/boards.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { requireMonitorsExist } from '../require-monitors.ts';

/** A named group of monitors on a board. */
export interface BoardGroup {
  readonly name: string;
  /** Ids of the group's monitors, in the order in which the board shows them. */
  readonly monitors: readonly string[];
}

const Groups = z.array(z.object({ name: z.string(), monitors: z.array(z.string()) }));

/** Parses the JSON of the `groups` column. */
export function parseBoardGroups({
  groups_json: json,
}: Pick<BoardRow, 'groups_json'>): readonly BoardGroup[] {
  return Groups.parse(JSON.parse(json));
}

/**
 * Requires that all monitors on a board exist in its organization. Returns the board.
 * @param before the groups of the board before the change. Monitors in these groups are accepted even if they no
 * longer exist.
 * @throws Fault `invalid_request` with `param`
 */
export async function requireBoardMonitorsExist(
  reader: DatabaseReader,
  orgId: string,
  board: BoardConfig,
  before: readonly BoardGroup[] = [],
): Promise<BoardConfig> {
  const named = board.groups.flatMap(({ monitors }, at) =>
    monitors.map((id, index) => ({ id, param: `groups[${at}].monitors[${index}]` })),
  );
  const known = before.flatMap(({ monitors }) => monitors);
  await requireMonitorsExist(reader, orgId, named, known);
  return board;
}
