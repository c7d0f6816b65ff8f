/** Microseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Percentiles of samples in microseconds. Sorts `samples` in place. */
export function computeLatency(samples: number[]): Latency {
  samples.sort((one, other) => one - other);
  return { p50: at(samples, 0.5), p99: at(samples, 0.99) };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
