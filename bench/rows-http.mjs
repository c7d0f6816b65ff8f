// Measures requests against a running server for bench/rows.mjs: warm, and cold after the caches of the system are dropped.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Measures each request: its time and the CPU time of the server and its database in milliseconds. Warm requests were sent
 * before; the fastest of `runs` counts.
 */
export async function measureRequests(session, requests, { runs, cold, report, log }) {
  const found = [];
  for (const [at, { operation, path, query }] of requests.entries()) {
    const target = `${path}${query.length === 0 ? '' : `?${new URLSearchParams(query)}`}`;
    if (cold) dropCaches();
    const measured = [await session.time(target)];
    for (let n = 0; !cold && n < runs; n += 1) measured.push(await session.time(target));
    const counted = measured.length > 1 ? measured.slice(1) : measured;
    const least = (name) => Math.min(...counted.map((one) => one[name]));
    found.push({ operation, target, status: measured[0].status, ms: least('ms'), cpu: least('cpu') });
    // A long command can be stopped without losing what it measured.
    if (log !== undefined)
      appendFileSync(log, `${JSON.stringify({ cold: cold === true, ...found.at(-1) })}\n`);
    if (at % 200 === 199) report(`${at + 1} of ${requests.length} requests`);
  }
  return found;
}

/** Drops what the system has read from the disk. Requires root. */
function dropCaches() {
  spawnSync('sync');
  writeFileSync('/proc/sys/vm/drop_caches', '3');
}

/** An export without matching rows has no first byte before all rows were read. */
const MAX_REQUEST_MS = 20_000;

/** Times requests until their body is complete, and downloads until their first bytes. The status is 0 after 20 seconds. */
export function timedSession(url, cookie, readCpuMs) {
  return {
    async time(target) {
      const [started, before] = [performance.now(), readCpuMs()];
      const status = await readStatus(url + target, cookie);
      return { status, ms: performance.now() - started, cpu: readCpuMs() - before };
    },
  };
}

async function readStatus(url, cookie) {
  try {
    const answer = await fetch(url, { headers: { cookie }, signal: AbortSignal.timeout(MAX_REQUEST_MS) });
    if (!answer.headers.has('content-disposition')) await answer.text();
    else {
      const reader = answer.body.getReader();
      await reader.read();
      await reader.cancel();
    }
    return answer.status;
  } catch (error) {
    if (error.name !== 'TimeoutError') throw error;
    return 0;
  }
}

/** Returns the CPU time of processes, their children and all their threads so far, in milliseconds. */
export function cpuMsOf(pids) {
  let ns = 0;
  for (const pid of [...pids, ...childrenOf(pids)])
    for (const task of list(`/proc/${pid}/task`))
      ns += Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ', 1)[0]);
  return ns / 1e6;
}

function childrenOf(pids) {
  return list('/proc').filter((pid) => {
    const [, parent = ''] =
      /^\d+ \(.*\) \S (\d+)/.exec(/^\d/.test(pid) ? read(`/proc/${pid}/stat`) : '') ?? [];
    return pids.includes(Number(parent));
  });
}

function list(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** A process can end meanwhile. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
