import type { ReceivedRequest } from './connection.ts';
import type { Interaction, Recording } from './recordings.ts';
import type { Reply } from './reply.ts';
import { asksForStream, surfaceOf } from './surfaces.ts';

/**
 * Answers a request with what was recorded for it: same method and stream flag, same path, else a path of the same
 * API (a base URL may add a prefix). Several matches are the turns of a conversation: taken in order, the last stays.
 */
export function replaying(recordings: readonly Recording[]): (request: ReceivedRequest) => Reply {
  const interactions = recordings.flatMap((recording) => recording.interactions);
  const taken = new Map<string, number>();
  return (request) => {
    const stream = asksForStream(request.path, parsed(request.body));
    const same = interactions.filter((one) => one.method === request.method && one.stream === stream);
    const exact = same.filter((one) => one.path === request.path);
    const matches = exact.length > 0 ? exact : same.filter((one) => isSameApi(one, request.path));
    const turn = `${request.method} ${request.path} ${stream}`;
    const count = taken.get(turn) ?? 0;
    taken.set(turn, count + 1);
    const interaction = matches[Math.min(count, matches.length - 1)];
    if (interaction) return { interaction };
    const message = `testkit: nothing recorded for ${turn}`;
    return { status: 404, body: JSON.stringify({ error: { message, type: 'not_recorded' } }) };
  };
}

function isSameApi(interaction: Interaction, path: string): boolean {
  const surface = surfaceOf(path);
  return surface !== 'other' && surfaceOf(interaction.path) === surface;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
