import { getApiSurface, isStreamingRequest } from './api-surface.ts';
import type { RecordedInteraction, Recording } from './recordings.ts';
import type { ReceivedRequest } from './upstream-connection.ts';
import type { UpstreamReply } from './upstream-reply.ts';

/**
 * Returns a function that responds to a request with a matching recording. A recording matches if it
 * has the same method and stream flag, and the same path or a path of the same API, because a base URL
 * may add a prefix. If several recordings match, they are the turns of a conversation. They are used
 * in order, and the last one is repeated.
 */
export function createReplayResponder(
  recordings: readonly Recording[],
): (request: ReceivedRequest) => UpstreamReply {
  const interactions = recordings.flatMap((recording) => recording.interactions);
  const taken = new Map<string, number>();
  return (request) => {
    const stream = isStreamingRequest(request.path, tryParseJson(request.body));
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

function isSameApi(interaction: RecordedInteraction, path: string): boolean {
  const surface = getApiSurface(path);
  return surface !== 'other' && getApiSurface(interaction.path) === surface;
}

function tryParseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
