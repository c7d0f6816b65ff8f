import { join } from 'node:path';
import { runForOutput } from '../processes.ts';
import type { RequestFigures } from './requests.ts';
import { WHOLE_ANSWER_BYTES } from './requests.ts';

export interface WrkLoad {
  readonly url: string;
  readonly headers: readonly string[];
  readonly bodyFile: string;
  readonly connections: number;
  readonly seconds: number;
}

const SCRIPT = join(import.meta.dirname, 'wrk.lua');

/**
 * The same load as `runRequestLoad`, made by wrk.
 *
 * @throws Error when wrk counts an error, a status above 399, or fewer bytes than whole answers have
 */
export async function runWrkLoad(load: WrkLoad): Promise<RequestFigures> {
  const options = [`-t1`, `-c${load.connections}`, `-d${load.seconds}s`, '--timeout', '10s', '-s', SCRIPT];
  const output = await runForOutput('wrk', [...options, load.url, '--', load.bodyFile, ...load.headers], {
    timeoutMs: (load.seconds + 15) * 1000,
  });
  const figures = readFigures(output);
  const errors = ['status', 'connect', 'read', 'write', 'timeout'].filter((kind) => figures[kind] !== 0);
  if (errors.length > 0)
    throw new Error(
      `wrk met errors: ${errors.map((kind) => `${kind} ${figures[kind]}`).join(', ')}\n${output}`,
    );
  const { requests = 0, us = 0, bytes = 0, p50 = 0, p99 = 0 } = figures;
  if (requests === 0 || bytes < requests * WHOLE_ANSWER_BYTES)
    throw new Error(`wrk got ${bytes} bytes in ${requests} answers\n${output}`);
  return { requests, seconds: us / 1e6, latency: { p50, p99 } };
}

function readFigures(output: string): Record<string, number> {
  const line = /^BENCH (\{.*\})$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`wrk printed no figures:\n${output}`);
  const figures: Record<string, number> = {};
  for (const [name, value] of Object.entries<unknown>(JSON.parse(line))) figures[name] = Number(value);
  return figures;
}
