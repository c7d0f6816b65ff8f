import { readFileSync } from 'node:fs';

/** What a function itself used, without what it called. */
export interface SelfTime {
  readonly where: string;
  readonly us: number;
}

export interface ThreadProfile {
  readonly busyUs: number;
  readonly byFunction: readonly SelfTime[];
  /** By package: `@floe/<room>`, a dependency's name, `node`, `(native)`. */
  readonly byPackage: readonly SelfTime[];
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** The shape of V8's `.cpuprofile` (Chrome DevTools protocol, Profiler.Profile), as far as it is read. */
interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Self times of one thread's profile, largest first. */
export function selfTimes(file: string): ThreadProfile {
  const profile: CpuProfile = JSON.parse(readFileSync(file, 'utf8'));
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byFunction = new Map<string, number>();
  const byPackage = new Map<string, number>();
  let busyUs = 0;
  for (const [i, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    const us = profile.timeDeltas[i] ?? 0;
    // node:inspector is the profiler's own start.
    if (!frame || frame.functionName === '(idle)' || frame.url === 'node:inspector') continue;
    busyUs += us;
    add(byFunction, nameOf(frame), us);
    add(byPackage, packageOf(frame.url), us);
  }
  return { busyUs, byFunction: sorted(byFunction), byPackage: sorted(byPackage) };
}

function add(sums: Map<string, number>, name: string, us: number): void {
  sums.set(name, (sums.get(name) ?? 0) + us);
}

function sorted(sums: ReadonlyMap<string, number>): SelfTime[] {
  return [...sums].map(([where, us]) => ({ where, us })).sort((one, other) => other.us - one.us);
}

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const name = functionName || '(anonymous)';
  return url === '' ? name : `${name} ${shortPath(url)}:${lineNumber + 1}`;
}

function shortPath(url: string): string {
  return url.replace(/^.*\/node_modules\//, '').replace(/^.*\/packages\//, '');
}

function packageOf(url: string): string {
  if (url === '') return '(native)';
  if (url.startsWith('node:')) return 'node';
  const path = shortPath(url);
  const own = /^(server\/src\/[\w-]+|\w+)\//.exec(path)?.[1];
  if (!url.includes('/node_modules/')) return `floe ${own ?? path}`;
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}
