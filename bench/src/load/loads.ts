import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BODY_BYTES, type BodyName, chatBody, requestBytes } from '../bodies.ts';
import type { Member } from '../fleet.ts';
import { isInstalled } from '../machine.ts';
import { bounded } from '../processes.ts';
import { type RequestFigures, requestLoad } from './requests.ts';
import { type StreamFigures, type StreamLoad, streamLoop } from './streams.ts';
import { wrkLoad } from './wrk.ts';

const HAS_WRK = isInstalled('wrk');
export const LOAD_TOOL = HAS_WRK ? 'wrk; streams: own' : 'own (wrk is not installed)';

const FLOOD = { connections: 16, events: 1_000 } as const;
const PACED = { connections: 100, delayMs: 20 } as const;
/** How much longer than planned a load may take, in seconds. */
const GRACE_S = 20;

/** Whole requests at a concurrency for a time; the body goes through a file in `workDir` to wrk. */
export function requests(
  { candidate, running }: Member,
  body: BodyName,
  connections: number,
  seconds: number,
  workDir: string,
): Promise<RequestFigures> {
  const bytes = chatBody({ model: candidate.model, bytes: BODY_BYTES[body] });
  const { port } = running;
  const { id, path, headers } = candidate;
  if (!HAS_WRK) {
    const load = { port, request: requestBytes(path, headers, bytes), connections, seconds };
    return bounded(requestLoad(load), (seconds + GRACE_S) * 1000, 'a load');
  }
  const bodyFile = join(workDir, `${id}-${BODY_BYTES[body]}.json`);
  writeFileSync(bodyFile, bytes);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return wrkLoad({ url: `http://127.0.0.1:${port}${path}`, headers: lines, bodyFile, connections, seconds });
}

/** One short stream after another on one connection. */
export function firstTokens(member: Member, seconds: number): Promise<StreamFigures> {
  return streams(streamLoop(streamOf(member, 2, 0), 1, seconds), seconds);
}

/** 100 streams of 50 events a second each. */
export function paced(member: Member, seconds: number): Promise<StreamFigures> {
  const events = Math.round((seconds * 1000) / PACED.delayMs);
  return streams(streamLoop(streamOf(member, events, PACED.delayMs), PACED.connections, 0), seconds);
}

/** Streams as fast as they come. */
export function flood(member: Member, seconds: number): Promise<StreamFigures> {
  return streams(streamLoop(streamOf(member, FLOOD.events, 0), FLOOD.connections, seconds), seconds);
}

export function streamOf({ candidate, running }: Member, events: number, delayMs: number): StreamLoad {
  const body = chatBody({
    model: candidate.model,
    bytes: BODY_BYTES['1.6 KB'],
    stream: { events, delayMs },
  });
  return { port: running.port, request: requestBytes(candidate.path, candidate.headers, body), events };
}

function streams<T>(load: Promise<T>, seconds: number): Promise<T> {
  return bounded(load, (seconds + GRACE_S) * 1000, 'a stream load');
}
