import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BODY_BYTES, type BodyName, buildBenchBody, buildBenchRequest } from '../bodies.ts';
import type { RunningCandidate } from '../candidate-fleet.ts';
import { isInstalled } from '../machine.ts';
import { withTimeLimit } from '../processes.ts';
import { type RequestFigures, runRequestLoad } from './requests.ts';
import { runStreamLoop, type StreamFigures, type StreamLoad } from './streams.ts';
import { runWrkLoad } from './wrk.ts';

const HAS_WRK = isInstalled('wrk');
/** What loads which candidates; `Candidate.ownClient` says why not all have the same. */
export const LOAD_TOOL = HAS_WRK
  ? 'wrk; for streams, Portkey and LiteLLM: the load client of this repository'
  : 'the load client of this repository (wrk is not installed)';

const FLOOD = { connections: 16, events: 1_000 } as const;
const PACED = { connections: 100, delayMs: 20 } as const;
/** How much longer than planned a load may take, in seconds. A gateway may need a millisecond for each of 16,000 events. */
const TIMEOUT_MARGIN_S = 60;

/** Whole requests at a concurrency for a time; the body goes through a file in `workDir` to wrk. */
export function measureRequests(
  { candidate, running }: RunningCandidate,
  body: BodyName,
  connections: number,
  seconds: number,
  workDir: string,
): Promise<RequestFigures> {
  const bytes = buildBenchBody({ model: candidate.model, bytes: BODY_BYTES[body] });
  const { port } = running;
  const { id, path, headers } = candidate;
  if (!HAS_WRK || candidate.ownClient) {
    const load = { port, request: buildBenchRequest(path, headers, bytes), connections, seconds };
    return withTimeLimit(runRequestLoad(load), (seconds + TIMEOUT_MARGIN_S) * 1000, 'a load');
  }
  const bodyFile = join(workDir, `${id}-${BODY_BYTES[body]}.json`);
  writeFileSync(bodyFile, bytes);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return runWrkLoad({
    url: `http://127.0.0.1:${port}${path}`,
    headers: lines,
    bodyFile,
    connections,
    seconds,
  });
}

/** One short stream after another on one connection. */
export function measureFirstTokens(member: RunningCandidate, seconds: number): Promise<StreamFigures> {
  return boundStreams(runStreamLoop(buildStreamLoad(member, 2, 0), 1, seconds), seconds);
}

/** 100 streams of 50 events a second each. */
export function measurePacedStreams(member: RunningCandidate, seconds: number): Promise<StreamFigures> {
  const events = Math.round((seconds * 1000) / PACED.delayMs);
  return boundStreams(
    runStreamLoop(buildStreamLoad(member, events, PACED.delayMs), PACED.connections, 0),
    seconds,
  );
}

/** Streams as fast as they come. */
export function measureFloodStreams(member: RunningCandidate, seconds: number): Promise<StreamFigures> {
  return boundStreams(
    runStreamLoop(buildStreamLoad(member, FLOOD.events, 0), FLOOD.connections, seconds),
    seconds,
  );
}

export function buildStreamLoad(
  { candidate, running }: RunningCandidate,
  events: number,
  delayMs: number,
): StreamLoad {
  const body = buildBenchBody({
    model: candidate.model,
    bytes: BODY_BYTES['1.6 KB'],
    stream: { events, delayMs },
  });
  return { port: running.port, request: buildBenchRequest(candidate.path, candidate.headers, body), events };
}

function boundStreams<T>(load: Promise<T>, seconds: number): Promise<T> {
  return withTimeLimit(load, (seconds + TIMEOUT_MARGIN_S) * 1000, 'a stream load');
}
