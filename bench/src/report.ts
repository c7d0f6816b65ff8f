import type { Candidate, UnavailableCandidate } from './candidate.ts';
import type { MachineFacts } from './machine.ts';
import { FEATURE_METRICS, METRICS, type Samples } from './metrics.ts';
import { CANDIDATE_NAMES, formatComparison, formatFeatures } from './tables.ts';

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

/** The table and what it was measured on, as Markdown that also reads well in a terminal. */
export function formatMarkdown(report: BenchReport): string {
  const { machine, candidates, absent } = report;
  const lines = [
    `# ${report.name}, ${report.date}`,
    '',
    `${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}, Node ${machine.node}; ${machine.pinned}; load average before the run ${machine.loadBefore.toFixed(1)}. ` +
      `Commit ${report.commit}. ${report.reps} reps of ${report.seconds} s in random order; mock upstream in ${report.mock}; load: ${report.load}.`,
    '',
    ...section([
      ...candidates.map(({ id, about }) => `- ${CANDIDATE_NAMES[id]}: ${about}`),
      ...absent.map(({ id, why }) => `- ${CANDIDATE_NAMES[id]}: not measured, ${why}`),
    ]),
    ...section(
      formatComparison(
        candidates.map(({ id }) => id),
        report.samples,
        METRICS,
      ),
    ),
    ...section(formatFeatures(report.samples)),
    ...report.failed.map((what) => `Failed: ${what}.`),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same with every sample, for programs. */
export function formatJson({ candidates, ...rest }: BenchReport): string {
  const named = candidates.map(({ id, about }) => ({ id, about }));
  const metrics = [...METRICS, ...FEATURE_METRICS].map(({ id, label, unit, target }) => ({
    id,
    label,
    unit,
    target,
  }));
  return `${JSON.stringify({ ...rest, candidates: named, metrics }, null, 1)}\n`;
}

/** Lines with an empty one behind them; nothing where there are none. */
function section(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [...lines, ''];
}
