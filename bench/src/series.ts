import { BODIES } from './bodies.ts';
import { type Fleet, type Member, translating } from './fleet.ts';
import { latencyOf } from './load/latency.ts';
import { firstTokens, flood, paced, requests, streamOf } from './load/loads.ts';
import { manyStreams } from './load/streams.ts';
import { openFileLimit } from './machine.ts';
import {
  cellOf,
  connectionsFor,
  HELD_STREAMS,
  type Samples,
  translated,
  translatedConnections,
} from './metrics.ts';
import { cpuUs, quiet, residentKb } from './process-tree.ts';
import { bounded, pause } from './processes.ts';

export interface Plan {
  readonly reps: number;
  readonly seconds: number;
  readonly workDir: string;
  readonly fleet: Fleet;
  readonly samples: Samples;
  readonly say: (text: string) => void;
  /** What could not be measured, and why. */
  readonly failed: string[];
}

const WARM_REQUESTS = 120_000;
const WARM_MS = 12_000;
/** Four events five seconds apart: open long enough to open all the others. */
const HELD = { events: 4, delayMs: 5_000 } as const;

/** Lets every candidate compile its paths before anything is counted. */
export async function warm({ workDir, say }: Plan, members: readonly Member[]): Promise<void> {
  for (const member of members) {
    say(`warming ${member.candidate.id}`);
    await warmRequests(member, workDir);
    for (const body of BODIES.slice(1)) await requests(member, body, 4, 1, workDir);
    await flood(member, 1);
    await firstTokens(member, 0.5);
  }
}

/** Those who translate, asked for it. */
export function translators({ fleet }: Plan): Member[] {
  return fleet.members.map(translating).filter((member) => member !== null);
}

/** V8 takes a hundred thousand requests to settle on its optimized code; slow candidates get a time limit. */
async function warmRequests(member: Member, workDir: string): Promise<void> {
  const until = performance.now() + WARM_MS;
  let count = 0;
  while (count < WARM_REQUESTS && performance.now() < until)
    count += (await requests(member, '1.6 KB', 64, 1, workDir)).requests;
}

export async function requestSeries(plan: Plan, rep: number): Promise<void> {
  for (const body of BODIES)
    for (const connections of connectionsFor(body))
      for (const member of shuffled(plan.fleet.members)) {
        const cell = cellOf(body, connections);
        plan.say(`rep ${rep}: ${cell}: ${member.candidate.id}`);
        const { used, figures } = await counted(member, () =>
          requests(member, body, connections, plan.seconds, plan.workDir),
        );
        const { id } = member.candidate;
        plan.samples.add(`cpu ${cell}`, id, used / figures.requests);
        plan.samples.add(`rps ${cell}`, id, figures.requests / figures.seconds);
        plan.samples.add(`p50 ${cell}`, id, figures.latency.p50);
        plan.samples.add(`p99 ${cell}`, id, figures.latency.p99);
      }
}

export async function streamSeries(plan: Plan, rep: number): Promise<void> {
  await streamsOf(plan, rep, plan.fleet.members, (name) => name);
}

/** Chat clients of an upstream that speaks Messages, through those who translate. */
export async function translatedSeries(plan: Plan, rep: number, members: readonly Member[]): Promise<void> {
  for (const body of BODIES) {
    const connections = translatedConnections(body);
    const cell = cellOf(body, connections);
    for (const member of shuffled(members)) {
      const { id } = member.candidate;
      plan.say(`rep ${rep}: ${translated(cell)}: ${id}`);
      const load = () => requests(member, body, connections, plan.seconds, plan.workDir);
      const { used, figures } = await counted(member, load);
      plan.samples.add(translated(`cpu ${cell}`), id, used / figures.requests);
      plan.samples.add(translated(`rps ${cell}`), id, figures.requests / figures.seconds);
    }
  }
  await streamsOf(plan, rep, members, translated);
}

/** `named`: the metric of a figure. */
async function streamsOf(
  { samples, say, seconds }: Plan,
  rep: number,
  members: readonly Member[],
  named: (name: string) => string,
): Promise<void> {
  for (const member of shuffled(members)) {
    say(`rep ${rep}: ${named('first token')}: ${member.candidate.id}`);
    await quiet(member.running.pid);
    const figures = await firstTokens(member, seconds);
    const { p50, p99 } = latencyOf(figures.firstTokenUs);
    samples.add(named('ttft p50'), member.candidate.id, p50);
    samples.add(named('ttft p99'), member.candidate.id, p99);
  }
  for (const member of shuffled(members)) {
    say(`rep ${rep}: ${named('paced events')}: ${member.candidate.id}`);
    const { used, figures } = await counted(member, () => paced(member, seconds));
    samples.add(named('paced'), member.candidate.id, used / figures.events);
  }
  for (const member of shuffled(members)) {
    say(`rep ${rep}: ${named('unpaced events')}: ${member.candidate.id}`);
    const { used, figures } = await counted(member, () => flood(member, seconds));
    samples.add(named('flood'), member.candidate.id, used / figures.events);
    samples.add(named('flood rate'), member.candidate.id, (figures.events / used) * 1e6);
  }
}

/** Memory of everything that has been under load, then of new processes; their starts are timed. */
export async function memorySeries(plan: Plan): Promise<void> {
  for (const member of plan.fleet.members) {
    const { id, program } = member.candidate;
    if (!program) continue;
    plan.samples.add('rss after', id, residentKb(member.running.pid) / 1024);
    for (const count of HELD_STREAMS) {
      plan.say(`${count} open streams: ${id}`);
      await plan.fleet.restart(member);
      plan.samples.add('start', id, member.running.startMs);
      await quiet(member.running.pid);
      plan.samples.add('rss idle', id, residentKb(member.running.pid) / 1024);
      await holdStreams(plan, member, count);
    }
  }
}

/** Not to hold that many is a result about a gateway, not an end of the run. */
async function holdStreams(plan: Plan, member: Member, count: number): Promise<void> {
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
async function heldStreamKb(member: Member, count: number): Promise<number> {
  await flood(member, 1);
  await quiet(member.running.pid);
  const before = residentKb(member.running.pid);
  let most = before;
  let watch: NodeJS.Timeout | undefined;
  const onAllOpen = () => {
    watch = setInterval(() => {
      most = Math.max(most, residentKb(member.running.pid));
    }, 100);
  };
  try {
    await bounded(
      manyStreams(streamOf(member, HELD.events, HELD.delayMs), count, onAllOpen),
      60_000,
      'holding streams',
    );
  } finally {
    clearInterval(watch);
  }
  return (most - before) / count;
}

/** CPU the member used for a load, with what it put off until the load was over. */
async function counted<T>(member: Member, load: () => Promise<T>): Promise<{ used: number; figures: T }> {
  const { pid } = member.running;
  await quiet(pid);
  const before = cpuUs(pid);
  const figures = await load();
  await pause(20);
  await quiet(pid);
  return { used: cpuUs(pid) - before, figures };
}

function shuffled<T>(list: readonly T[]): T[] {
  const left = [...list];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(Math.random() * left.length), 1));
  return order;
}
