import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CANDIDATES, type CandidateId } from './candidate.ts';
import { PROJECT } from './floe-candidate.ts';
import { METRICS, Samples, translatedName } from './metrics.ts';
import { CANDIDATE_NAMES, formatComparison, formatFeatures } from './tables.ts';

/** What a page takes from a file in bench/results; `formatJson` writes the file. */
interface ResultsFile {
  readonly name: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly kernel: string;
    readonly node: string;
    readonly pinned: string;
    readonly loadBefore: number;
  };
  readonly reps: number;
  readonly seconds: number;
  readonly mock: string;
  readonly load: string;
  readonly candidates: readonly { readonly id: CandidateId; readonly about: string }[];
  readonly absent: readonly { readonly id: CandidateId; readonly why: string }[];
  readonly failed: readonly string[];
  readonly samples: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
}

/** The file of all tables of a page, and a table, which may name a file of its own. */
const FILE = /<!-- results file: (\S+) -->/;
const TABLE = /<!-- results: (\w+)(?: (\S+\.json))? -->[\s\S]*?<!-- end -->/g;

/** The metrics of each comparison, by the beginnings of their ids. */
const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  cpu: ['cpu '],
  rate: ['rps '],
  latency: ['p50 1.6 KB', 'p99 1.6 KB', 'added p'],
  streams: ['ttft ', 'added ttft ', 'paced', 'flood'],
  translated: ['cpu ', 'ttft ', 'paced', 'flood'].map(translatedName),
  memory: ['held ', 'rss ', 'start'],
};

/**
 * Writes the tables of a page between `<!-- results: NAME -->` and `<!-- end -->`.
 *
 * @param text with a comment that names the results file: `<!-- results file: bench/results/NAME.json -->`
 * @throws Error if the page names no file, a table does not exist, or the file contains no figure of a table
 */
export function writeResultTables(
  text: string,
  read: (path: string) => string = (path) => readFileSync(join(PROJECT, path), 'utf8'),
): string {
  const byDefault = FILE.exec(text)?.[1];
  return text.replace(TABLE, (whole: string, table: string, own: string | undefined) => {
    const path = own ?? byDefault;
    if (path === undefined) throw new Error(`${table}: the page names no results file`);
    const results: ResultsFile = JSON.parse(read(path));
    const head = whole.slice(0, whole.indexOf('-->') + 3);
    const lines = formatTable(table, results, path);
    if (own !== undefined) lines.push('', formatSource(results, path));
    return `${head}\n\n${lines.join('\n')}\n\n<!-- end -->`;
  });
}

function formatTable(table: string, results: ResultsFile, path: string): string[] {
  if (table === 'run') return formatRun(results, path);
  const samples = Samples.fromJSON(results.samples);
  const lines = table === 'features' ? formatFeatures(samples) : formatMetrics(table, results, samples);
  if (lines.length === 0) throw new Error(`${path} contains no figure of the table "${table}"`);
  return lines;
}

function formatMetrics(table: string, { candidates }: ResultsFile, samples: Samples): string[] {
  const beginnings = COMPARISONS[table];
  if (!beginnings)
    throw new Error(`"${table}": choose from run, features, ${Object.keys(COMPARISONS).join(', ')}`);
  const metrics = METRICS.filter(({ id }) => beginnings.some((beginning) => id.startsWith(beginning)));
  const ids = CANDIDATES.filter((id) => candidates.some((candidate) => candidate.id === id));
  return formatComparison(ids, samples, metrics, false);
}

/** For a table whose figures are not those of the page's run. */
function formatSource({ date, commit, machine }: ResultsFile, path: string): string {
  const { cpu, cores, loadBefore } = machine;
  return `Source: \`${path}\`, ${date}, commit ${commit}, ${cpu}, ${cores} cores, load average ${loadBefore.toFixed(1)} before the run.`;
}

/** When, where and what: the facts that belong to the figures. */
function formatRun({ machine, candidates, absent, failed, ...run }: ResultsFile, path: string): string[] {
  const names = CANDIDATES.filter((id) => [...candidates, ...absent].every((each) => each.id !== id));
  const missing = [
    ...absent.map(({ id, why }) => `${CANDIDATE_NAMES[id]}: ${why}`),
    ...names.map((id) => `${CANDIDATE_NAMES[id]}: not part of this run`),
  ];
  const facts = [
    ['File', `\`${path}\``],
    ['Date, commit', `${run.date}, ${run.commit}`],
    ['Machine', `${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}, Node.js ${machine.node}`],
    ['Placement', machine.pinned],
    ['Load average before the run', machine.loadBefore.toFixed(1)],
    ['Samples', `${run.reps} per cell, ${run.seconds} s each`],
    ['Mock upstream', `a program in ${run.mock}`],
    ['Load', run.load],
    ...candidates.map(({ id, about }) => [CANDIDATE_NAMES[id], about]),
    ...missing.map((what) => ['Not measured', what]),
    ...failed.map((what) => ['Failed', what]),
  ];
  return ['| Fact | Value |', '|---|---|', ...facts.map(([name, value]) => `| ${name} | ${value} |`)];
}
