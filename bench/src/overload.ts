import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BODIES, BODY_BYTES, buildBenchBody, buildBenchRequest } from './bodies.ts';
import type { Candidate } from './candidate.ts';
import { prepareCandidates } from './candidates.ts';
import { type ArrivalFigures, runArrivalLoad } from './load/arrival-load.ts';
import { type OverloadFigures, runOverloadLoad } from './load/overload-load.ts';
import { pinCurrentProcess, planPinning } from './machine.ts';
import { startMock } from './mock/mock.ts';
import { delay, freePort, pinProgram, startProgram } from './processes.ts';

const HELP = `node bench/overload.mjs [options]

Measures one process at its capacity and at ten times the connections, with and without overload protection.

  --seconds <n>      length of each load (5)
  --connections <n>  connections at capacity (32)
  --rounds <n>       interleaved rounds (3)
  --body <name>      1.6 KB, 30 KB, 300 KB or 1 MB (1.6 KB)
  --warm <n>         length of the warm-up of each server (8)
  --rate <list>      instead of connections, arrival rates as multiples of the capacity, such as 1,10
  --rules <name>     none or policy: secrets and card numbers are detected (none)
  --max <n>          maximum number of requests in progress; replaces --connections, without the unprotected server
  --upstream-ms <n>  milliseconds that the upstream needs for a response; if not 0, it is a stream (0)
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '3' },
    body: { type: 'string', default: '1.6 KB' },
    rules: { type: 'string', default: 'none' },
    delay: { type: 'string', default: '50' },
    rate: { type: 'string', default: '' },
    max: { type: 'string', default: '' },
    'upstream-ms': { type: 'string', default: '0' },
    warm: { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
});

const POLICY = `    policies:
      - { name: secrets, on: request, detect: { secrets: true, pii: [credit_card] }, action: redact }
`;

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  const workDir = mkdtempSync(join(tmpdir(), 'floe-overload-'));
  process.on('exit', () => rmSync(workDir, { recursive: true, force: true }));
  const pins = planPinning();
  if ('rest' in pins) pinCurrentProcess(pins.rest);
  const mock = await startMock(workDir, 'chat');
  const ports = { chat: mock.running.port, messages: mock.running.port };
  const rules = values.rules === 'policy' ? POLICY : '';
  const start = async (name: string, delayMs: number) => {
    const dir = mkdtempSync(join(workDir, name));
    const limits = values.max === '' ? '' : `, max_concurrent_requests: ${Number(values.max)}`;
    const overload = `max_event_loop_delay_ms: ${delayMs}${limits}`;
    const candidate = prepareCandidates(
      'floe',
      dir,
      ports,
      `${rules}server: { overload: { ${overload} } }\n`,
    );
    if ('why' in candidate || !candidate.program) throw new Error('the server cannot be prepared');
    const port = await freePort();
    return { name, candidate, running: await startProgram(pinProgram(candidate.program(port), pins), port) };
  };
  const servers = [await start('protected', Number(values.delay))];
  if (values.max === '') servers.push(await start('unprotected', 0));
  const few = Number(values.max === '' ? values.connections : values.max);
  for (const { candidate, running } of servers)
    await measure(candidate, running.port, few, Number(values.warm), 0);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const server of servers) await (values.rate === '' ? measureConnections : measureRates)(server, few);
  for (const { running } of servers) await running.stop();
  await mock.running.stop();
}

interface Server {
  readonly name: string;
  readonly candidate: Candidate;
  readonly running: { readonly port: number };
}

async function measureConnections({ name, candidate, running }: Server, few: number): Promise<void> {
  const seconds = Number(values.seconds);
  const capacity = await measure(candidate, running.port, few, seconds, 0);
  const patient = await measure(candidate, running.port, few * 10, seconds, 2_000);
  const impatient = await measure(candidate, running.port, few * 10, seconds, 0);
  print(`${name}, capacity`, capacity, capacity);
  print(`${name}, tenfold, clients wait`, patient, capacity);
  print(`${name}, tenfold, clients do not wait`, impatient, capacity);
}

/** The capacity is the throughput of a few connections. The first rate is what the others are compared with. */
async function measureRates({ name, candidate, running }: Server, few: number): Promise<void> {
  const seconds = Number(values.seconds);
  const capacity = await measure(candidate, running.port, few, seconds, 0);
  print(`${name}, ${few} connections`, capacity, capacity);
  let base: ArrivalFigures | null = null;
  for (const factor of values.rate.split(',').map(Number)) {
    const rate = capacity.goodput * factor;
    const figures = await runArrivalLoad({
      port: running.port,
      request: buildRequest(candidate),
      rate,
      seconds,
    });
    base ??= figures;
    print(`${name}, ${factor} times capacity`, figures, base);
    process.stdout.write(
      `${''.padEnd(42)} sent ${figures.sent.toFixed(0)}/s, unanswered ${figures.unanswered}\n`,
    );
    await delay(3_000);
  }
}

function measure(candidate: Candidate, port: number, connections: number, seconds: number, waitMs: number) {
  const request = buildRequest(candidate);
  return runOverloadLoad({ port, request, connections, seconds, waitAfterRejectionMs: waitMs });
}

function buildRequest(candidate: Candidate): Buffer {
  const name = BODIES.find((each) => each === values.body);
  if (name === undefined) throw new Error(`--body must be one of ${BODIES.join(', ')}, not "${values.body}"`);
  const delayMs = Number(values['upstream-ms']);
  const stream = delayMs === 0 ? undefined : { events: 2, delayMs };
  const body = buildBenchBody({ model: candidate.model, bytes: BODY_BYTES[name], ...(stream && { stream }) });
  return buildBenchRequest(candidate.path, candidate.headers, body);
}

function print(name: string, figures: OverloadFigures, capacity: OverloadFigures): void {
  const { goodput, admitted, rejections, rejected } = figures;
  const ms = (us: number) => (us / 1000).toFixed(1).padStart(7);
  process.stdout.write(
    `${name.padEnd(42)} goodput ${goodput.toFixed(0).padStart(6)}/s ${((goodput / capacity.goodput) * 100).toFixed(0).padStart(4)} %  p50 ${ms(admitted.p50)} p99 ${ms(admitted.p99)} (x${(admitted.p99 / capacity.admitted.p99).toFixed(1)})  503 ${rejections.toFixed(0).padStart(6)}/s p99 ${ms(rejected.p99)}\n`,
  );
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
