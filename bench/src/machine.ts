import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';

/** What the figures depend on; nothing that names the machine. */
export interface MachineFacts {
  readonly cpu: string;
  readonly cores: number;
  readonly kernel: string;
  readonly node: string;
  readonly pinned: string;
  /** One-minute load average before the run: above 0.5 other work shared the machine. */
  readonly loadBefore: number;
}

/** Which cores do what; null when the system cannot pin. */
export interface Pinning {
  readonly gateway: string;
  readonly rest: string;
}

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
}

/** The gateway gets the last core for itself; upstream and load share the others. */
export function planPinning(): Pinning | { readonly none: string } {
  if (!isInstalled('taskset')) return { none: 'nothing is pinned: taskset is not installed' };
  const cores = allowedCores();
  const gateway = cores.at(-1);
  if (cores.length < 2 || gateway === undefined) return { none: 'nothing is pinned: there is one core' };
  return { gateway: String(gateway), rest: cores.slice(0, -1).join(',') };
}

/** Moves this process, and with it every child that is not pinned itself, to `cores`. */
export function pinCurrentProcess(cores: string): void {
  execFileSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)], { stdio: 'ignore' });
}

function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'latin1');
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '0';
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}

/** How many files a process may have open; what a test with many connections needs to know. */
export function openFileLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'latin1');
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
}

export function collectMachineFacts(pins: ReturnType<typeof planPinning>): MachineFacts {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    kernel: release(),
    node: process.version,
    pinned:
      'none' in pins
        ? pins.none
        : `gateway alone on one core, mock and load program on ${pins.rest.split(',').length} other`,
    loadBefore: loadavg()[0] ?? 0,
  };
}
