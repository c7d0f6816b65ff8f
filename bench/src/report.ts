import type { Candidate, CandidateId, UnavailableCandidate } from './candidates.ts';
import type { MachineFacts } from './machine.ts';
import { METRICS, type Metric, type Samples } from './metrics.ts';

export interface BenchReport {
  readonly name: string;
  /** Day of the run, `2026-11-21`. */
  readonly date: string;
  readonly commit: string;
  readonly machine: MachineFacts;
  readonly reps: number;
  readonly seconds: number;
  readonly mock: string;
  readonly load: string;
  readonly candidates: readonly Candidate[];
  readonly absent: readonly UnavailableCandidate[];
  readonly failed: readonly string[];
  readonly samples: Samples;
}

const NAMES: Record<CandidateId, string> = {
  direct: 'direct',
  nginx: 'nginx',
  bare: 'bare Node',
  floe: 'Floe',
  portkey: 'Portkey',
};
const RATIOS = [
  ['floe', 'nginx'],
  ['floe', 'bare'],
  ['portkey', 'floe'],
] as const;

/** The table and what it was measured on, as Markdown that also reads well in a terminal. */
export function formatMarkdown(report: BenchReport): string {
  const { machine, candidates, absent } = report;
  const lines = [
    `# ${report.name}, ${report.date}`,
    '',
    `${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}, Node ${machine.node}; ${machine.pinned}; load average before the run ${machine.loadBefore.toFixed(1)}. ` +
      `Commit ${report.commit}. ${report.reps} reps of ${report.seconds} s in random order; mock upstream in ${report.mock}; load: ${report.load}.`,
    '',
    ...candidates.map(({ id, about }) => `- ${NAMES[id]}: ${about}`),
    ...absent.map(({ id, why }) => `- ${NAMES[id]}: not measured, ${why}`),
    '',
    ...table(report),
    '',
    ...report.failed.map((what) => `Failed: ${what}.`),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same with every sample, for programs. */
export function formatJson({ candidates, ...rest }: BenchReport): string {
  const named = candidates.map(({ id, about }) => ({ id, about }));
  const metrics = METRICS.map(({ id, label, unit, target }) => ({ id, label, unit, target }));
  return `${JSON.stringify({ ...rest, candidates: named, metrics }, null, 1)}\n`;
}

function table({ candidates, samples }: BenchReport): string[] {
  const ids = candidates.map(({ id }) => id);
  const ratios = RATIOS.filter((pair) => pair.every((id) => ids.includes(id)));
  const head = [
    '',
    ...ids.map((id) => NAMES[id]),
    ...ratios.map(([one, other]) => `${NAMES[one]} ÷ ${NAMES[other]}`),
    'target',
  ];
  const rows = METRICS.map((metric) => {
    const best = (id: CandidateId) => samples.best(metric, id);
    const cells = ids.map((id) => shown(best(id)));
    if (cells.every((cell) => cell === '')) return null;
    return [
      `${metric.label}, ${metric.unit}`,
      ...cells,
      ...ratios.map(([one, other]) => ratio(best(one), best(other))),
      targetOf(metric, best('floe')),
    ];
  }).filter((row) => row !== null);
  return aligned([head, ...rows]);
}

function shown(value: number | undefined): string {
  if (value === undefined) return '';
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US');
}

function ratio(one: number | undefined, other: number | undefined): string {
  if (one === undefined || other === undefined || !(other > 0)) return '';
  return (one / other).toFixed(one / other < 10 ? 2 : 0);
}

function targetOf({ target, best }: Metric, value: number | undefined): string {
  if (target === undefined) return '';
  const text = `${best === 'min' ? '≤' : '≥'} ${shown(target)}`;
  if (value === undefined) return text;
  return `${text} ${(best === 'min' ? value <= target : value >= target) ? 'met' : 'missed'}`;
}

/** Padded, so that the source reads as a table too; figures stand on the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)];
}
