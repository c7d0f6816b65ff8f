import { BODIES, type BodyName } from './bodies.ts';
import { CANDIDATES, type CandidateId } from './candidate.ts';
import { FEATURES, type FloeFeature } from './features.ts';

/** One row of the table. */
export interface Metric {
  readonly id: string;
  readonly label: string;
  readonly unit: string;
  /** Which of several samples stands for all: the one a busy machine disturbed least. */
  readonly best: 'min' | 'max';
  /** What Floe is meant to reach on two shared cores (design: speed and size). */
  readonly target?: number;
  /** The difference to the same figure without a gateway. */
  readonly over?: string;
}

export const CONNECTIONS = [1, 8, 64] as const;
/** Large bodies at one concurrency: enough to keep the core busy. */
export const LARGE_CONNECTIONS = 16;
export const HELD_STREAMS = [1_000, 5_000] as const;

/** Connection counts a body is sent at. */
export function connectionsFor(body: BodyName): readonly number[] {
  return body === '1.6 KB' ? CONNECTIONS : [LARGE_CONNECTIONS];
}

/** One connection count for each body: translating is compared where the core is busy. */
export function translatedConnections(body: BodyName): number {
  return connectionsFor(body).at(-1) ?? LARGE_CONNECTIONS;
}

export function translatedName(name: string): string {
  return `translated: ${name}`;
}

export function cellName(body: BodyName, connections: number): string {
  return `${body}, c=${connections}`;
}

const CPU_TARGETS: Record<string, number> = { '1.6 KB, c=64': 80, '30 KB, c=16': 130, '300 KB, c=16': 1_000 };

function requestMetrics(): Metric[] {
  const cells = BODIES.flatMap((body) => connectionsFor(body).map((c) => cellName(body, c)));
  return [
    ...cells.map((cell) => metric(`cpu ${cell}`, `CPU per request, ${cell}`, 'µs', 'min', CPU_TARGETS[cell])),
    ...cells.map((cell) =>
      metric(`rps ${cell}`, `requests/s, ${cell}`, '/s', 'max', cell === '1.6 KB, c=64' ? 12_000 : undefined),
    ),
    ...cells.flatMap((cell) => [
      metric(`p50 ${cell}`, `latency p50, ${cell}`, 'µs', 'min'),
      metric(`p99 ${cell}`, `latency p99, ${cell}`, 'µs', 'min'),
    ]),
    { ...metric('added p50', 'added latency p50, 1.6 KB, c=1', 'µs', 'min', 250), over: 'p50 1.6 KB, c=1' },
    { ...metric('added p99', 'added latency p99, 1.6 KB, c=1', 'µs', 'min', 2_000), over: 'p99 1.6 KB, c=1' },
  ];
}

function streamMetrics(): Metric[] {
  return [
    metric('ttft p50', 'time to first token p50, c=1', 'µs', 'min'),
    metric('ttft p99', 'time to first token p99, c=1', 'µs', 'min'),
    { ...metric('added ttft p50', 'added time to first token p50', 'µs', 'min', 300), over: 'ttft p50' },
    { ...metric('added ttft p99', 'added time to first token p99', 'µs', 'min', 1_500), over: 'ttft p99' },
    metric('paced', 'CPU per event, 100 streams × 50/s', 'µs', 'min', 35),
    metric('flood', 'CPU per event, unpaced', 'µs', 'min'),
    metric('flood rate', 'unpaced events per core', '/s', 'max', 150_000),
  ];
}

function memoryMetrics(): Metric[] {
  return [
    ...HELD_STREAMS.map((count) =>
      metric(`held ${count}`, `memory per stream, ${count} open`, 'KB', 'min', 60),
    ),
    metric('rss idle', 'RSS idle', 'MB', 'min', 140),
    metric('rss after', 'RSS after load', 'MB', 'min', 220),
    metric('start', 'cold start to listening', 'ms', 'min', 700),
  ];
}

function metric(id: string, label: string, unit: string, best: 'min' | 'max', target?: number): Metric {
  return { id, label, unit, best, ...(target === undefined ? {} : { target }) };
}

/** Cells and streams of a Chat client whose upstream speaks Messages. */
function translatedMetrics(): Metric[] {
  const cells = BODIES.map((body) => cellName(body, translatedConnections(body)));
  return [
    ...cells.map((cell) =>
      metric(translatedName(`cpu ${cell}`), translatedName(`CPU per request, ${cell}`), 'µs', 'min'),
    ),
    ...cells.map((cell) =>
      metric(translatedName(`rps ${cell}`), translatedName(`requests/s, ${cell}`), '/s', 'max'),
    ),
    metric(translatedName('ttft p50'), translatedName('time to first token p50, c=1'), 'µs', 'min'),
    metric(translatedName('ttft p99'), translatedName('time to first token p99, c=1'), 'µs', 'min'),
    metric(translatedName('paced'), translatedName('CPU per event, 100 streams × 50/s'), 'µs', 'min', 40),
    metric(translatedName('flood'), translatedName('CPU per event, unpaced'), 'µs', 'min'),
    metric(translatedName('flood rate'), translatedName('unpaced events per core'), '/s', 'max'),
  ];
}

/** Bodies and connections that features are compared with: enough connections to keep the core busy. */
export const FEATURE_BODIES = ['1.6 KB', '30 KB', '300 KB'] as const satisfies readonly BodyName[];
export const FEATURE_CONNECTIONS = 16;

export function featureMetricId(feature: FloeFeature['id'], body: BodyName): string {
  return `feature ${feature}: cpu ${cellName(body, FEATURE_CONNECTIONS)}`;
}

/** Features have a table of their own, so they are not among `METRICS`. */
export const FEATURE_METRICS: readonly Metric[] = FEATURES.flatMap(({ id, label }) =>
  FEATURE_BODIES.map((body) => {
    const cell = cellName(body, FEATURE_CONNECTIONS);
    return metric(featureMetricId(id, body), `${label}: CPU per request, ${cell}`, 'µs', 'min');
  }),
);

export const METRICS: readonly Metric[] = [
  ...requestMetrics(),
  ...streamMetrics(),
  ...translatedMetrics(),
  ...memoryMetrics(),
];

/** Every sample of a run, by metric and candidate. */
export class Samples {
  readonly #all = new Map<string, Map<CandidateId, number[]>>();

  add(metricId: string, candidate: CandidateId, value: number): void {
    if (!Number.isFinite(value)) throw new Error(`${metricId} of ${candidate} is ${value}`);
    const row = this.#all.get(metricId) ?? new Map<CandidateId, number[]>();
    this.#all.set(metricId, row);
    const samples = row.get(candidate) ?? [];
    row.set(candidate, samples);
    samples.push(value);
  }

  /** The sample that stands for a cell of the table; undefined where nothing was measured. */
  best(metric: Metric, candidate: CandidateId): number | undefined {
    if (metric.over !== undefined) return this.#added(metric.over, candidate);
    const samples = this.#all.get(metric.id)?.get(candidate);
    if (!samples) return undefined;
    return metric.best === 'min' ? Math.min(...samples) : Math.max(...samples);
  }

  #added(baseId: string, candidate: CandidateId): number | undefined {
    const base = METRICS.find((metric) => metric.id === baseId);
    if (!base || candidate === 'direct') return undefined;
    const without = this.best(base, 'direct');
    const withIt = this.best(base, candidate);
    return without === undefined || withIt === undefined ? undefined : withIt - without;
  }

  /** The samples of a results file: what `toJSON` has written. */
  static fromJSON(json: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>): Samples {
    const samples = new Samples();
    for (const [metricId, row] of Object.entries(json))
      for (const candidate of CANDIDATES)
        for (const value of row[candidate] ?? []) samples.add(metricId, candidate, value);
    return samples;
  }

  toJSON(): Record<string, Record<string, readonly number[]>> {
    return Object.fromEntries([...this.#all].map(([id, row]) => [id, Object.fromEntries(row)]));
  }
}
