// Sustained ingest for bench/rows.mjs: rows of the present time go through the spool's format into the loaded database, as many
// per second as asked for, for some time.
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../packages/server/src/core/clock.ts';
import { silentLog } from '../packages/server/src/core/log.ts';
import { openDatabase } from '../packages/server/src/store/open-database.ts';
import { SPOOL_DAYS, spoolText } from './rows-data.mjs';
import { cpuMsOf } from './rows-http.mjs';

/** Batches per second, as the spool drains under load. */
const BATCHES = 10;

/** Ingests `rate` rows per second for `seconds`. Returns what it reached and what each row cost. */
export async function measureIngest({ url, dataDir, rate, seconds, servers }) {
  const database = await openDatabase(url, { dataDir, log: silentLog, clock: systemClock });
  const path = join(dataDir, 'ingest.jsonl');
  const total = rate * SPOOL_DAYS * 86_400;
  const started = performance.now();
  const startedAt = Date.now();
  const sums = { rows: 0, busyMs: 0, cpuMs: 0, behindMs: 0, slowestMs: 0 };
  try {
    for (let batch = 0; batch < seconds * BATCHES; batch += 1) {
      const due = started + (batch * 1000) / BATCHES;
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      const from = total - rate * seconds + (batch * rate) / BATCHES;
      writeFileSync(path, spoolText(from, from + rate / BATCHES, total, startedAt + seconds * 1000));
      const [before, cpuBefore] = [performance.now(), cpuMsOf([process.pid, ...servers])];
      const { inserted } = await database.ingest({ path, from: 0, to: statSync(path).size, last: true });
      const took = performance.now() - before;
      sums.rows += inserted;
      sums.busyMs += took;
      sums.cpuMs += cpuMsOf([process.pid, ...servers]) - cpuBefore;
      sums.slowestMs = Math.max(sums.slowestMs, took);
      sums.behindMs = performance.now() - due - 1000 / BATCHES;
    }
  } finally {
    rmSync(path, { force: true });
    await database.close();
  }
  const tookS = (performance.now() - started) / 1000;
  return {
    rows: sums.rows,
    'rows/s': sums.rows / tookS,
    'share of the time in ingest': sums.busyMs / 1000 / tookS,
    'CPU µs per row': (sums.cpuMs * 1000) / sums.rows,
    'slowest batch, ms': sums.slowestMs,
    'behind at the end, ms': Math.max(0, sums.behindMs),
  };
}
