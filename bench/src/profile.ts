import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BODIES, type BodyName } from './bodies.ts';
import { type RunningCandidate, withTranslation } from './candidate-fleet.ts';
import { prepareCandidates } from './candidates.ts';
import { FEATURES, type FloeFeature, formatOrgFields } from './features.ts';
import { measureFloodStreams, measurePacedStreams, measureRequests } from './load/loads.ts';
import { pinCurrentProcess, planPinning } from './machine.ts';
import { startMock } from './mock/mock.ts';
import { threadsCpuUs, waitForQuiet } from './process-tree.ts';
import { delay, freePort, type Program, pinProgram, startProgram } from './processes.ts';
import { type SelfTime, selfTimes } from './self-times.ts';

const HELP = `node bench/profile.mjs [options]

  --load <name>      requests, paced or flood (requests)
  --seconds <n>      length of the load (4)
  --body <name>      1.6 KB, 30 KB, 300 KB or 1 MB, with --load requests (1.6 KB)
  --translate        a Chat client of an upstream that speaks Messages
  --features <name>  plain, limits (and budgets), condition, detectors or all (plain)
  --rows <n>         functions shown of each thread (40)
  --warm <n>         length of the warm-up (8): V8 takes some 40,000 requests to settle on its optimized code
`;

const { values } = parseArgs({
  options: {
    load: { type: 'string', default: 'requests' },
    seconds: { type: 'string', default: '4' },
    body: { type: 'string', default: '1.6 KB' },
    features: { type: 'string', default: 'plain' },
    translate: { type: 'boolean', default: false },
    rows: { type: 'string', default: '40' },
    warm: { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
});

/** Puts the load on and gives the number of requests or events a figure is divided by. */
async function load(member: RunningCandidate, seconds: number, workDir: string): Promise<number> {
  if (values.load === 'paced') return (await measurePacedStreams(member, seconds)).events;
  if (values.load === 'flood') return (await measureFloodStreams(member, seconds)).events;
  if (values.load === 'requests')
    return (await measureRequests(member, bodyName(), 64, seconds, workDir)).requests;
  throw new Error(`--load must be requests, paced or flood, not "${values.load}"`);
}

function bodyName(): BodyName {
  const name = BODIES.find((each) => each === values.body);
  if (name === undefined) throw new Error(`--body must be one of ${BODIES.join(', ')}, not "${values.body}"`);
  return name;
}

function orgFields(): FloeFeature['org'] {
  const feature = FEATURES.find(({ id }) => id === values.features);
  if (feature === undefined)
    throw new Error(
      `--features must be one of ${FEATURES.map(({ id }) => id).join(', ')}, not "${values.features}"`,
    );
  return feature.org;
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  const workDir = mkdtempSync(join(tmpdir(), 'floe-profile-'));
  process.on('exit', () => rmSync(workDir, { recursive: true, force: true }));
  const pins = planPinning();
  if ('rest' in pins) pinCurrentProcess(pins.rest);
  const mock = await startMock(workDir, values.translate ? 'messages' : 'chat');
  const upstreams = { chat: mock.running.port, messages: mock.running.port };
  const candidate = prepareCandidates('floe', workDir, upstreams, formatOrgFields(orgFields()));
  if ('why' in candidate || !candidate.program) throw new Error('the server cannot be prepared');
  const file = join(workDir, 'main.cpuprofile');
  const port = await freePort();
  const running = await startProgram(pinProgram(hooked(candidate.program(port), file), pins), port);
  const asked = { candidate, running };
  const member = values.translate ? withTranslation(asked) : asked;
  if (!member) throw new Error('the server is not set up to translate');
  await load(member, Number(values.warm), workDir);
  await printThreads(member, workDir);
  process.kill(running.pid, 'SIGUSR2');
  const count = await load(member, Number(values.seconds), workDir);
  process.kill(running.pid, 'SIGUSR2');
  await written(file);
  await running.stop();
  await mock.running.stop();
  printProfile(file, count);
}

function hooked(program: Program, file: string): Program {
  const hook = join(import.meta.dirname, 'profile-hook.mjs');
  return {
    ...program,
    args: ['--import', hook, ...program.args],
    env: { ...program.env, FLOE_BENCH_PROFILE: file },
  };
}

/** Which thread uses what, measured without the profiler. */
async function printThreads(member: RunningCandidate, workDir: string): Promise<void> {
  const { pid } = member.running;
  await waitForQuiet(pid);
  const before = new Map(threadsCpuUs(pid).map(({ name, us }) => [name, us]));
  const count = await load(member, Number(values.seconds), workDir);
  await waitForQuiet(pid);
  const used = threadsCpuUs(pid)
    .map(({ name, us }) => ({ where: name, us: us - (before.get(name) ?? 0) }))
    .filter(({ us }) => us > 0)
    .sort((one, other) => other.us - one.us);
  process.stdout.write(`CPU by thread without the profiler, µs per unit\n${lines(used, count)}`);
}

async function written(file: string): Promise<void> {
  const until = performance.now() + 20_000;
  while (!existsSync(file)) {
    if (performance.now() > until) throw new Error('the server wrote no profile');
    await delay(50);
  }
  await delay(500);
}

function printProfile(file: string, count: number): void {
  const { busyUs, byFunction, byPackage } = selfTimes(file);
  process.stdout.write(`\nmain thread, ${(busyUs / count).toFixed(1)} µs per unit; self time by package\n`);
  process.stdout.write(`${lines(byPackage.slice(0, 20), count)}\nby function\n`);
  process.stdout.write(lines(byFunction.slice(0, Number(values.rows)), count));
}

function lines(times: readonly SelfTime[], count: number): string {
  return times.map(({ where, us }) => `${(us / count).toFixed(2).padStart(8)}  ${where}\n`).join('');
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
