import { isDeepStrictEqual } from 'node:util';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import type { LoadedConfig } from './load-config.ts';

/** The ids of the organizations that differ between two files. */
export interface OrgDifferences {
  /** New and removed organizations, and those that are not equal. */
  readonly changed: ReadonlySet<string>;
  /** Equal organizations that start on another line, with the number of lines. Negative if they moved up. */
  readonly moved: ReadonlyMap<string, number>;
}

/**
 * Compares the organizations of two files. An organization also counts as changed if the new file explicitly
 * sets a field to its default value, because values in the file replace values that were set with the API.
 * Yields to the event loop.
 */
export async function compareOrgs(
  before: LoadedConfig,
  after: LoadedConfig,
  turns: Pick<EventLoopYielder, 'endStep'> = new EventLoopYielder(),
): Promise<OrgDifferences> {
  const changed = new Set<string>();
  const moved = new Map<string, number>();
  if (before === after) return { changed, moved };
  const earlier = new Map(before.config.orgs.map((org, at) => [org.id, { org, at }]));
  for (const [at, org] of after.config.orgs.entries()) {
    const own = earlier.get(org.id);
    earlier.delete(org.id);
    const lines =
      own && isDeepStrictEqual(own.org, org)
        ? after.positions.linesMoved(['orgs', at], before.positions, ['orgs', own.at])
        : null;
    if (lines === null) changed.add(org.id);
    else if (lines !== 0) moved.set(org.id, lines);
    await turns.endStep();
  }
  for (const id of earlier.keys()) changed.add(id);
  return { changed, moved };
}
