import type { BodyName } from './bodies.ts';
import { type CandidateFleet, type RunningCandidate, withTranslation } from './candidate-fleet.ts';
import { computeLatency } from './load/latency.ts';
import {
  buildStreamLoad,
  measureFirstTokens,
  measureFloodStreams,
  measurePacedStreams,
  measureRequests,
} from './load/loads.ts';
import { runConcurrentStreams } from './load/streams.ts';
import { openFileLimit } from './machine.ts';
import {
  cellName,
  connectionsFor,
  HELD_STREAMS,
  type Samples,
  translatedConnections,
  translatedName,
} from './metrics.ts';
import { cpuUs, residentKb, waitForQuiet } from './process-tree.ts';
import { delay, withTimeLimit } from './processes.ts';

export interface BenchPlan {
  readonly reps: number;
  readonly seconds: number;
  /** The longest time a candidate is warmed with small requests, in milliseconds. */
  readonly warmMs: number;
  readonly bodies: readonly BodyName[];
  readonly workDir: string;
  readonly fleet: CandidateFleet;
  readonly samples: Samples;
  readonly say: (text: string) => void;
  /** What could not be measured, and why. */
  readonly failed: string[];
}

const WARM_REQUESTS = 120_000;
/** Four events five seconds apart: open long enough to open all the others. */
const HELD = { events: 4, delayMs: 5_000 } as const;

/** Lets every candidate compile its paths before anything is counted. */
export async function warmUp(plan: BenchPlan, members: readonly RunningCandidate[]): Promise<void> {
  for (const member of members) {
    plan.say(`warming ${member.candidate.id}`);
    await warmRequests(plan, member);
    for (const body of plan.bodies)
      if (body !== '1.6 KB') await measureRequests(member, body, 4, 1, plan.workDir);
    await measureFloodStreams(member, 1);
    await measureFirstTokens(member, 0.5);
  }
}

/** Those who translate, asked for it. */
export function listTranslators({ fleet }: BenchPlan): RunningCandidate[] {
  return fleet.members.map(withTranslation).filter((member) => member !== null);
}

/** V8 takes a hundred thousand requests to settle on its optimized code; slow candidates get a time limit. */
export async function warmRequests({ warmMs, workDir }: BenchPlan, member: RunningCandidate): Promise<void> {
  const until = performance.now() + warmMs;
  let count = 0;
  while (count < WARM_REQUESTS && performance.now() < until)
    count += (await measureRequests(member, '1.6 KB', 64, 1, workDir)).requests;
}

export async function requestSeries(plan: BenchPlan, rep: number): Promise<void> {
  for (const body of plan.bodies)
    for (const connections of connectionsFor(body))
      for (const member of shuffled(plan.fleet.members)) {
        const cell = cellName(body, connections);
        plan.say(`rep ${rep}: ${cell}: ${member.candidate.id}`);
        const { used, figures } = await measureCpu(member, () =>
          measureRequests(member, body, connections, plan.seconds, plan.workDir),
        );
        const { id } = member.candidate;
        plan.samples.add(`cpu ${cell}`, id, used / figures.requests);
        plan.samples.add(`rps ${cell}`, id, figures.requests / figures.seconds);
        plan.samples.add(`p50 ${cell}`, id, figures.latency.p50);
        plan.samples.add(`p99 ${cell}`, id, figures.latency.p99);
      }
}

export async function streamSeries(plan: BenchPlan, rep: number): Promise<void> {
  await measureStreams(plan, rep, plan.fleet.members, (name) => name);
}

/** Chat clients of an upstream that speaks Messages, through those who translate. */
export async function translatedSeries(
  plan: BenchPlan,
  rep: number,
  members: readonly RunningCandidate[],
): Promise<void> {
  for (const body of plan.bodies) {
    const connections = translatedConnections(body);
    const cell = cellName(body, connections);
    for (const member of shuffled(members)) {
      const { id } = member.candidate;
      plan.say(`rep ${rep}: ${translatedName(cell)}: ${id}`);
      const load = () => measureRequests(member, body, connections, plan.seconds, plan.workDir);
      const { used, figures } = await measureCpu(member, load);
      plan.samples.add(translatedName(`cpu ${cell}`), id, used / figures.requests);
      plan.samples.add(translatedName(`rps ${cell}`), id, figures.requests / figures.seconds);
    }
  }
  await measureStreams(plan, rep, members, translatedName);
}

/** `named`: the metric of a figure. */
async function measureStreams(
  { samples, say, seconds }: BenchPlan,
  rep: number,
  members: readonly RunningCandidate[],
  named: (name: string) => string,
): Promise<void> {
  for (const member of shuffled(members)) {
    say(`rep ${rep}: ${named('first token')}: ${member.candidate.id}`);
    await waitForQuiet(member.running.pid);
    const figures = await measureFirstTokens(member, seconds);
    const { p50, p99 } = computeLatency(figures.firstTokenUs);
    samples.add(named('ttft p50'), member.candidate.id, p50);
    samples.add(named('ttft p99'), member.candidate.id, p99);
  }
  for (const member of shuffled(members)) {
    say(`rep ${rep}: ${named('paced events')}: ${member.candidate.id}`);
    const { used, figures } = await measureCpu(member, () => measurePacedStreams(member, seconds));
    samples.add(named('paced'), member.candidate.id, used / figures.events);
  }
  for (const member of shuffled(members)) {
    say(`rep ${rep}: ${named('unpaced events')}: ${member.candidate.id}`);
    const { used, figures } = await measureCpu(member, () => measureFloodStreams(member, seconds));
    samples.add(named('flood'), member.candidate.id, used / figures.events);
    samples.add(named('flood rate'), member.candidate.id, (figures.events / used) * 1e6);
  }
}

/** Memory of everything that has been under load, then of new processes; their starts are timed. */
export async function memorySeries(plan: BenchPlan): Promise<void> {
  for (const member of plan.fleet.members) {
    const { id, program } = member.candidate;
    if (!program) continue;
    plan.samples.add('rss after', id, residentKb(member.running.pid) / 1024);
    for (const count of HELD_STREAMS) {
      plan.say(`${count} open streams: ${id}`);
      await plan.fleet.restart(member);
      plan.samples.add('start', id, member.running.startMs);
      await waitForQuiet(member.running.pid);
      plan.samples.add('rss idle', id, residentKb(member.running.pid) / 1024);
      await measureHeldStreams(plan, member, count);
    }
  }
}

/** Not to hold that many is a result about a gateway, not an end of the run. */
async function measureHeldStreams(plan: BenchPlan, member: RunningCandidate, count: number): Promise<void> {
  const { id } = member.candidate;
  const what = `${count} open streams: ${id}`;
  if (openFileLimit() < 2 * count + 500) {
    plan.failed.push(`${what}: this system allows ${openFileLimit()} open files`);
    return;
  }
  try {
    plan.samples.add(`held ${count}`, id, await heldStreamKb(member, count));
  } catch (error) {
    plan.failed.push(`${what}: ${error instanceof Error ? error.message : error}`);
    plan.say(`FAILED ${plan.failed.at(-1)}`);
    await plan.fleet.restart(member);
  }
}

/** What one of `count` open streams adds to the memory of a process that has just answered its first requests. */
async function heldStreamKb(member: RunningCandidate, count: number): Promise<number> {
  await measureFloodStreams(member, 1);
  await waitForQuiet(member.running.pid);
  const before = residentKb(member.running.pid);
  let most = before;
  let watch: NodeJS.Timeout | undefined;
  const onAllOpen = () => {
    watch = setInterval(() => {
      most = Math.max(most, residentKb(member.running.pid));
    }, 100);
  };
  try {
    await withTimeLimit(
      runConcurrentStreams(buildStreamLoad(member, HELD.events, HELD.delayMs), count, onAllOpen),
      60_000,
      'holding streams',
    );
  } finally {
    clearInterval(watch);
  }
  return (most - before) / count;
}

/** CPU the member used for a load, with what it put off until the load was over. */
export async function measureCpu<T>(
  member: RunningCandidate,
  load: () => Promise<T>,
): Promise<{ used: number; figures: T }> {
  const { pid } = member.running;
  await waitForQuiet(pid);
  const before = cpuUs(pid);
  const figures = await load();
  await delay(20);
  await waitForQuiet(pid);
  return { used: cpuUs(pid) - before, figures };
}

export function shuffled<T>(list: readonly T[]): T[] {
  const left = [...list];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(Math.random() * left.length), 1));
  return order;
}
