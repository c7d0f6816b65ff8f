import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BODIES, type BodyName } from '../bodies.ts';
import type { RunningCandidate } from '../candidate-fleet.ts';
import { FEATURES, type FloeFeature, formatOrgFields } from '../features.ts';
import { PROJECT, prepareFloe } from '../floe-candidate.ts';
import { measureRequests } from '../load/loads.ts';
import { collectMachineFacts, pinCurrentProcess, planPinning } from '../machine.ts';
import { startMock } from '../mock/mock.ts';
import { cpuUs, waitForQuiet } from '../process-tree.ts';
import { freePort, pinProgram, startProgram } from '../processes.ts';
import { aligned } from '../tables.ts';
import { type BaseWorktree, checkOutBase, describeWorkingTree, findBase } from './base-worktree.ts';
import { type LoadPair, summarizePairs } from './ratios.ts';

const HELP = `node bench/compare.mjs [options]

CPU per request of the working tree and of another commit, in turns, with features off and on. Takes about a minute.
It reports the figures and has no threshold: the exit code is 0 unless the measurement fails.

  --base <commit>    what to compare with: a tag or any commit (the last release)
  --body <name>      one of ${BODIES.join(', ')} (1.6 KB)
  --connections <n>  connections of each load (16)
  --rounds <n>       how often both servers are measured (10)
  --seconds <n>      length of a load, whole seconds (1)
  --warm <n>         length of the warm-up of each server, whole seconds (5)
`;

/** Features off and on. */
const MODES = FEATURES.filter(({ id }) => id === 'plain' || id === 'all');
const SIDES = ['base', 'tree'] as const;
type Side = (typeof SIDES)[number];

interface ComparePlan {
  readonly body: BodyName;
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmSeconds: number;
  readonly workDir: string;
}

/** The same features in both servers. */
interface ServerPair {
  readonly mode: FloeFeature;
  readonly members: Readonly<Record<Side, RunningCandidate>>;
  readonly pairs: LoadPair[];
}

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    body: { type: 'string', default: '1.6 KB' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '1' },
    warm: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});

function wholeNumber(name: string, given: string): number {
  const number = Number(given);
  if (Number.isInteger(number) && number >= 1 && number <= 1000) return number;
  throw new Error(`--${name} must be an integer from 1 to 1000, got "${given}"`);
}

function readPlan(workDir: string): ComparePlan {
  const body = BODIES.find((name) => name === values.body);
  if (body === undefined) throw new Error(`--body must be one of ${BODIES.join(', ')}, got "${values.body}"`);
  return {
    body,
    connections: wholeNumber('connections', values.connections),
    rounds: wholeNumber('rounds', values.rounds),
    seconds: wholeNumber('seconds', values.seconds),
    warmSeconds: wholeNumber('warm', values.warm),
    workDir,
  };
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  const workDir = mkdtempSync(join(tmpdir(), 'floe-compare-'));
  let base: BaseWorktree | null = null;
  process.on('exit', () => {
    base?.remove();
    rmSync(workDir, { recursive: true, force: true });
  });
  const plan = readPlan(workDir);
  const commit = findBase(values.base);
  const machine = collectMachineFacts(planPinning());
  base = checkOutBase(commit, join(workDir, 'base'));
  const compared = await measure(plan, base);
  const lines = [
    `CPU per request, ${plan.body}, ${plan.connections} connections, ${plan.rounds} rounds of ${plan.seconds} s`,
    `base: ${base.name}; tree: ${describeWorkingTree()}`,
    `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}; ${machine.pinned}; load average ${machine.loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`,
    '',
    ...formatPairs(compared),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function measure(plan: ComparePlan, base: BaseWorktree): Promise<ServerPair[]> {
  const pins = planPinning();
  if ('rest' in pins) pinCurrentProcess(pins.rest);
  const mock = await startMock(plan.workDir, 'chat');
  const upstreams = { chat: mock.running.port, messages: mock.running.port };
  const start = async (mode: FloeFeature, side: Side): Promise<RunningCandidate> => {
    say(`starting ${side}, ${mode.label}`);
    const dir = join(plan.workDir, `${side}-${mode.id}`);
    mkdirSync(dir);
    const project = side === 'base' ? base.dir : PROJECT;
    const candidate = prepareFloe(dir, upstreams, { org: formatOrgFields(mode.org), project });
    const port = await freePort();
    return { candidate, running: await startProgram(pinProgram(candidate.program(port), pins), port) };
  };
  const compared: ServerPair[] = [];
  for (const mode of MODES)
    compared.push({
      mode,
      members: { base: await start(mode, 'base'), tree: await start(mode, 'tree') },
      pairs: [],
    });
  for (const { members } of compared)
    for (const side of SIDES) await load(plan, members[side], plan.warmSeconds);
  for (let round = 0; round < plan.rounds; round += 1)
    for (const pair of compared) pair.pairs.push(await measurePair(plan, pair, round));
  await Promise.all(compared.flatMap(({ members }) => SIDES.map((side) => members[side].running.stop())));
  await mock.running.stop();
  return compared;
}

/** One load on each server. Each of them is the first one in every second round. */
async function measurePair(
  plan: ComparePlan,
  { mode, members }: ServerPair,
  round: number,
): Promise<LoadPair> {
  say(`round ${round + 1} of ${plan.rounds}: ${mode.label}`);
  const used = { base: 0, tree: 0 };
  for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
    const { pid } = members[side].running;
    await waitForQuiet(pid);
    const before = cpuUs(pid);
    const { requests } = await load(plan, members[side], plan.seconds);
    await waitForQuiet(pid);
    used[side] = (cpuUs(pid) - before) / requests;
  }
  return { baseUs: used.base, treeUs: used.tree };
}

function load({ body, connections, workDir }: ComparePlan, member: RunningCandidate, seconds: number) {
  return measureRequests(member, body, connections, seconds, workDir);
}

function formatPairs(compared: readonly ServerPair[]): string[] {
  const head = ['Floe', 'base, µs', 'tree, µs', 'tree ÷ base', 'half of the rounds', 'all rounds'];
  const rows = compared.map(({ mode, pairs }) => {
    const summary = summarizePairs(pairs);
    const range = (from: number, to: number) => `${from.toFixed(3)} to ${to.toFixed(3)}`;
    return [
      mode.id === 'all' ? 'features on' : 'features off',
      summary.baseUs.toFixed(1),
      summary.treeUs.toFixed(1),
      summary.ratio.toFixed(3),
      range(summary.lowerQuartile, summary.upperQuartile),
      range(summary.lowest, summary.highest),
    ];
  });
  return aligned([head, ...rows]);
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
