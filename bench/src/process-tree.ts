import { readdirSync, readFileSync } from 'node:fs';
import { delay } from './processes.ts';

/** Linux counts in hundredths of a second wherever user space sees it (proc(5), USER_HZ). */
const US_PER_TICK = 10_000;
const QUIET_MS = 60;
const QUIET_LIMIT_MS = 10_000;

/** A process and all below it. */
function treeOf(pid: number): number[] {
  const pids = [pid];
  for (const task of tasksOf(pid))
    for (const child of read(`/proc/${pid}/task/${task}/children`).split(' '))
      if (child !== '') pids.push(...treeOf(Number(child)));
  return pids;
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    // Ended between the listing and now; it counts for nothing from here on.
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Microseconds of CPU, user and system, that a process and its children have used. */
export function cpuUs(pid: number): number {
  let ticks = 0;
  for (const each of treeOf(pid)) ticks += ticksOf(read(`/proc/${each}/stat`));
  return ticks * US_PER_TICK;
}

/** The same by thread of one process, the main thread first. */
export function threadsCpuUs(pid: number): { readonly name: string; readonly us: number }[] {
  return tasksOf(pid).map((task) => {
    const stat = read(`/proc/${pid}/task/${task}/stat`);
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return { name: Number(task) === pid ? 'main' : `${name} ${task}`, us: ticksOf(stat) * US_PER_TICK };
  });
}

/** utime and stime; fields are counted behind the name, which may hold anything. */
function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** Resident kilobytes of a process and its children. */
export function residentKb(pid: number): number {
  let kilobytes = 0;
  for (const each of treeOf(pid))
    kilobytes += Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${each}/status`))?.[1] ?? 0);
  return kilobytes;
}

/**
 * Waits until the process uses no CPU for a while: work put off, such as writing rows, belongs to the
 * load that caused it.
 */
export async function waitForQuiet(pid: number): Promise<void> {
  const until = performance.now() + QUIET_LIMIT_MS;
  let before = cpuUs(pid);
  while (performance.now() < until) {
    await delay(QUIET_MS);
    const now = cpuUs(pid);
    if (now === before) return;
    before = now;
  }
}
