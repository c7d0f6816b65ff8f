import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BODIES } from './bodies.ts';
import { CANDIDATES, type CandidateId } from './candidate.ts';
import { CandidateFleet } from './candidate-fleet.ts';
import { featureSeries } from './feature-series.ts';
import { LOAD_TOOL } from './load/loads.ts';
import { collectMachineFacts, planPinning } from './machine.ts';
import { Samples } from './metrics.ts';
import { type BenchReport, formatJson, formatMarkdown } from './report.ts';
import {
  type BenchPlan,
  listTranslators,
  memorySeries,
  requestSeries,
  streamSeries,
  translatedSeries,
  warmUp,
} from './series.ts';

const SERIES = ['requests', 'streams', 'memory', 'translated', 'features'] as const;
const HELP = `node bench/gateways.mjs [options]

  --reps <n>         how often everything is measured (2)
  --seconds <n>      length of one load, whole seconds (2)
  --only <a,b>       some of ${CANDIDATES.join(', ')}
  --series <a,b>     some of ${SERIES.join(', ')}
  --bodies <a,b>     some of ${BODIES.join(', ')}
  --warm <n>         longest warm-up of a candidate with small requests, in seconds (12)
  --no-portkey       neither installs nor measures Portkey
  --no-litellm       neither installs nor measures LiteLLM
  --name <name>      name of the files in bench/results (gateways)
  --no-save          prints only
`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    reps: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: CANDIDATES.join(',') },
    series: { type: 'string', default: SERIES.join(',') },
    bodies: { type: 'string', default: BODIES.join(',') },
    warm: { type: 'string', default: '12' },
    portkey: { type: 'boolean', default: true },
    litellm: { type: 'boolean', default: true },
    name: { type: 'string', default: 'gateways' },
    save: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
});

function choice<T extends string>(known: readonly T[], given: string): Set<T> {
  const chosen = given.split(',').map((name) => known.find((each) => each === name));
  const found = chosen.filter((name) => name !== undefined);
  if (found.length < chosen.length) throw new Error(`"${given}": choose from ${known.join(', ')}`);
  return new Set(found);
}

function wholeNumber(name: string, given: string): number {
  const number = Number(given);
  if (Number.isInteger(number) && number >= 1 && number <= 60) return number;
  throw new Error(`--${name} must be an integer from 1 to 60`);
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    }).trim();
  } catch {
    return 'unknown';
  }
}

async function measure(plan: BenchPlan, series: ReadonlySet<string>): Promise<void> {
  const reps = Array.from({ length: plan.reps }, (_, n) => n + 1);
  const needsAll = ['requests', 'streams', 'memory'].some((name) => series.has(name));
  if (needsAll) await warmUp(plan, plan.fleet.members);
  for (const rep of reps) {
    if (series.has('requests')) await requestSeries(plan, rep);
    if (series.has('streams')) await streamSeries(plan, rep);
  }
  if (series.has('memory')) await memorySeries(plan);
  if (series.has('translated')) {
    // Last: code that has seen both ways is optimized for neither, and memory is that of forwarding.
    const members = listTranslators(plan);
    await warmUp(plan, members);
    for (const rep of reps) await translatedSeries(plan, rep, members);
  }
  if (series.has('features')) await featureSeries(plan, reps);
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  const wanted: Set<CandidateId> = choice(CANDIDATES, values.only);
  if (!values.portkey) wanted.delete('portkey');
  if (!values.litellm) wanted.delete('litellm');
  const bodies = choice(BODIES, values.bodies);
  const series = choice(SERIES, values.series);
  // Floe's features are compared with Floe alone.
  if ([...series].every((name) => name === 'features')) wanted.clear();
  const machine = collectMachineFacts(planPinning());
  const workDir = mkdtempSync(join(tmpdir(), 'floe-bench-'));
  process.on('exit', () => rmSync(workDir, { recursive: true, force: true }));
  const fleet = new CandidateFleet(workDir);
  const samples = new Samples();
  const say = (text: string) => process.stderr.write(`bench: ${text}\n`);
  const plan: BenchPlan = {
    reps: wholeNumber('reps', values.reps),
    seconds: wholeNumber('seconds', values.seconds),
    warmMs: wholeNumber('warm', values.warm) * 1000,
    bodies: BODIES.filter((body) => bodies.has(body)),
    workDir,
    fleet,
    samples,
    say,
    failed: [],
  };
  say(machine.pinned);
  await fleet.start(wanted);
  for (const { id, why } of fleet.absent) say(`${id} is not measured: ${why}`);
  await measure(plan, series);
  await fleet.stop();
  const report: BenchReport = {
    name: values.name,
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine,
    reps: plan.reps,
    seconds: plan.seconds,
    mock: fleet.mocks?.chat.language ?? '',
    load: LOAD_TOOL,
    candidates: fleet.members.map(({ candidate }) => candidate),
    absent: fleet.absent,
    failed: plan.failed,
    samples,
  };
  const text = formatMarkdown(report);
  process.stdout.write(text);
  if (values.save) save(report, text);
}

function save(report: BenchReport, text: string): void {
  const dir = join(import.meta.dirname, '..', 'results');
  mkdirSync(dir, { recursive: true });
  const base = join(dir, `${report.date}-${report.name}`);
  writeFileSync(`${base}.md`, text);
  writeFileSync(`${base}.json`, formatJson(report));
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
