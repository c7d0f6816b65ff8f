import { Session } from 'node:inspector/promises';

const session = new Session();

/**
 * Begins to count how many functions and blocks of JavaScript run, as V8 does for coverage: however busy the machine is, the
 * same work has the same count. Only functions that run for the first time after this are counted, so what is to be
 * measured has to be imported after it. Work inside of built-in functions is not counted.
 */
export async function startStepCounting(): Promise<void> {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** How many ran during some work. */
export async function countSteps(work: () => unknown): Promise<number> {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  let steps = 0;
  for (const { functions, url } of result)
    if (url.startsWith('file:'))
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
  return steps;
}
