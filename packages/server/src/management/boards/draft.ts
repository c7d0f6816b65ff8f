import type { BoardConfig } from '@floe/contract/config';
import { BoardSchema } from '@floe/contract/config/monitoring';
import { Fault } from '@floe/contract/faults';
import { type BoardGroup, MONITORS_PER_BOARD } from '../../monitoring/boards/board.ts';
import { monitorsByIds } from '../../store/monitoring/definitions.ts';
import type { Reader } from '../../store/ports.ts';
import { validate } from '../input.ts';

const SETTINGS = ['slug', 'name', 'public', 'timezone', 'groups'] as const;

type Fields = Readonly<Partial<Record<(typeof SETTINGS)[number], unknown>>>;

/**
 * The whole board that a request means: `fields` over `current`, absent ones stay, null clears.
 *
 * @param named groups the board has already: a monitor of theirs that was removed since is no reason to refuse.
 * @throws Fault `invalid_request` with `param`, also for a monitor that the org does not have
 */
export async function boardDraft(
  reader: Reader,
  orgId: string,
  fields: Fields,
  current: Fields,
  named: readonly BoardGroup[] = [],
): Promise<BoardConfig> {
  const merged: Record<string, unknown> = {};
  for (const name of SETTINGS) {
    const value = fields[name] === undefined ? current[name] : fields[name];
    if (value !== undefined && value !== null) merged[name] = value;
  }
  const draft = validate(BoardSchema, merged);
  const ids = draft.groups.flatMap(({ monitors }) => monitors);
  if (ids.length > MONITORS_PER_BOARD)
    throw new Fault('invalid_request', `groups: a board shows ${MONITORS_PER_BOARD} monitors at most`, {
      param: 'groups',
    });
  const known = new Set(named.flatMap(({ monitors }) => monitors));
  for (const { id } of await monitorsByIds(reader, orgId, ids)) known.add(id);
  for (const [at, { monitors }] of draft.groups.entries())
    for (const [index, id] of monitors.entries())
      if (!known.has(id)) {
        const param = `groups[${at}].monitors[${index}]`;
        throw new Fault('invalid_request', `${param}: there is no such monitor`, { param });
      }
  return draft;
}
