// Preloaded into the server: each SIGUSR2 appends a line to FLOE_BENCH_FILE with the CPU time, the longest block of the
// event loop and the memory since the previous line. The CPU time of the longest block does not contain the time in which
// the process waited for a core.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let cpu = process.threadCpuUsage();
  let all = process.cpuUsage();
  let tick = process.threadCpuUsage();
  let longestBlockCpuMs = 0;
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(tick);
    tick = process.threadCpuUsage();
    longestBlockCpuMs = Math.max(longestBlockCpuMs, (user + system) / 1000);
  }, 1).unref();
  process.on('SIGUSR2', () => {
    const main = process.threadCpuUsage(cpu);
    const whole = process.cpuUsage(all);
    const line = {
      mainCpuMs: (main.user + main.system) / 1000,
      cpuMs: (whole.user + whole.system) / 1000,
      longestBlockMs: delay.max / 1e6,
      longestBlockCpuMs,
      rssMb: process.memoryUsage.rss() / 1e6,
    };
    globalThis.gc?.();
    const heapMb = process.memoryUsage().heapUsed / 1e6;
    // The collection blocks the event loop itself, so the next period starts after it.
    setTimeout(() => {
      delay.reset();
      tick = process.threadCpuUsage();
      longestBlockCpuMs = 0;
      cpu = process.threadCpuUsage();
      all = process.cpuUsage();
      appendFileSync(process.env.FLOE_BENCH_FILE, `${JSON.stringify({ ...line, heapMb })}\n`);
    }, 10);
  });
}
