import * as z from 'zod';
import type { BoardRow } from '../../store/monitoring/boards.ts';

/** A board shows so many monitors at most: its page stays one that is quick to make and to read. */
export const MONITORS_PER_BOARD = 500;

export interface BoardGroup {
  readonly name: string;
  /** Ids, in order. */
  readonly monitors: readonly string[];
}

const Groups = z.array(z.object({ name: z.string(), monitors: z.array(z.string()) }));

/** Groups as the column holds them. */
export function groupsOf({ groups_json: json }: Pick<BoardRow, 'groups_json'>): readonly BoardGroup[] {
  return Groups.parse(JSON.parse(json));
}
