import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RunningCandidate } from './candidate-fleet.ts';
import { prepareCandidates } from './candidates.ts';
import { measureRequests } from './load/loads.ts';
import { pinCurrentProcess, planPinning } from './machine.ts';
import { startMock } from './mock/mock.ts';
import { cpuUs, waitForQuiet } from './process-tree.ts';
import { delay, freePort, pinProgram, startProgram } from './processes.ts';

const HELP = `node bench/access-log.mjs [options]

CPU per request with the access log and without it, in turns, in one process that reloads its configuration.

  --rounds <n>       rounds, each with one load of both kinds (12)
  --seconds <n>      length of a load (3)
  --warm <n>         length of the warm-up (6): V8 takes some 40,000 requests to settle on its optimized code
`;

const RELOAD_MS = 10_000;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '3' },
    warm: { type: 'string', default: '6' },
    help: { type: 'boolean', default: false },
  },
});

/** A server whose access log can be switched. */
interface SwitchedServer {
  readonly member: RunningCandidate;
  readonly workDir: string;
  readonly configFile: string;
  /** Text of the configuration file without `log`. */
  readonly config: string;
}

/** Switches the access log and waits until the server uses the new configuration. */
async function switchAccessLog({ member, configFile, config }: SwitchedServer, enabled: boolean) {
  const before = await countReloads(member.running.port);
  writeFileSync(configFile, `log: { access: { enabled: ${enabled} } }\n# ${before}\n${config}`);
  const until = performance.now() + RELOAD_MS;
  while ((await countReloads(member.running.port)) === before) {
    if (performance.now() > until) throw new Error('the server did not reload its configuration');
    await delay(50);
  }
}

async function countReloads(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^floe_config_reloads_total\{result="success"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Microseconds of CPU per request of one load. */
async function measureCpu(server: SwitchedServer, enabled: boolean): Promise<number> {
  await switchAccessLog(server, enabled);
  const { member, workDir } = server;
  const { pid } = member.running;
  await waitForQuiet(pid);
  const before = cpuUs(pid);
  const { requests } = await measureRequests(member, '1.6 KB', 64, Number(values.seconds), workDir);
  await waitForQuiet(pid);
  return (cpuUs(pid) - before) / requests;
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  const workDir = mkdtempSync(join(tmpdir(), 'floe-access-log-'));
  process.on('exit', () => rmSync(workDir, { recursive: true, force: true }));
  const pins = planPinning();
  if ('rest' in pins) pinCurrentProcess(pins.rest);
  const mock = await startMock(workDir, 'chat');
  const upstreams = { chat: mock.running.port, messages: mock.running.port };
  const candidate = prepareCandidates('floe', workDir, upstreams);
  if ('why' in candidate || !candidate.program) throw new Error('the server cannot be prepared');
  const port = await freePort();
  const running = await startProgram(pinProgram(candidate.program(port), pins), port);
  const configFile = join(workDir, 'floe', 'floe.yaml');
  const config = readFileSync(configFile, 'utf8');
  const server = { member: { candidate, running }, workDir, configFile, config };
  await measureRequests(server.member, '1.6 KB', 64, Number(values.warm), workDir);
  const differences: number[] = [];
  const sums = { on: 0, off: 0 };
  const rounds = Number(values.rounds);
  for (let round = 0; round < rounds; round += 1) {
    // Each kind is the first one equally often.
    const isOnFirst = round % 2 === 0;
    const first = await measureCpu(server, isOnFirst);
    const second = await measureCpu(server, !isOnFirst);
    const [on, off] = isOnFirst ? [first, second] : [second, first];
    differences.push(on - off);
    sums.on += on;
    sums.off += off;
    process.stdout.write(`${on.toFixed(1)} on, ${off.toFixed(1)} off, ${(on - off).toFixed(1)} µs\n`);
  }
  await running.stop();
  await mock.running.stop();
  process.stdout.write(`${describeDifferences(differences)} (on ${(sums.on / rounds).toFixed(1)}, `);
  process.stdout.write(`off ${(sums.off / rounds).toFixed(1)}; ratio ${(sums.on / sums.off).toFixed(3)})\n`);
}

/** The mean of the pairs with its standard error, and the median. */
function describeDifferences(differences: readonly number[]): string {
  const count = differences.length;
  const mean = differences.reduce((sum, each) => sum + each, 0) / count;
  const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, count - 1);
  const median = differences.toSorted((one, other) => one - other)[Math.floor(count / 2)] ?? 0;
  const error = Math.sqrt(variance / count);
  return `access log: mean ${mean.toFixed(1)} ± ${error.toFixed(1)} µs, median ${median.toFixed(1)} µs per request`;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
