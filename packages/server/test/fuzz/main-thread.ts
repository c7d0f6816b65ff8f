/** More than this for one input keeps everybody else waiting. */
export const MAIN_THREAD_LIMIT_MS = 100;

/**
 * CPU time that the main thread spends on something, in milliseconds. Time in which other programs or threads had the core
 * does not count. A rubbish collection does, so work that seems dear is done again, and the cheaper time counts.
 */
export async function cpuMs(work: () => unknown): Promise<number> {
  const first = await once(work);
  return first > MAIN_THREAD_LIMIT_MS ? Math.min(first, await once(work)) : first;
}

async function once(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
