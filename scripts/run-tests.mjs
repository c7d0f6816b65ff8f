// The test run itself, on the project's Node: every `*.test.ts` in its own process, some more at once than there are cores
// (many wait for a server), and one PostgreSQL for all of them. Prints failures whole, skips with their reason, and the
// sum as its last line.
//
// Tiers (CONTRIBUTING.md). A file whose first lines say `// Tier: ci. <reason>` is left out of a run without files or options.
// `--ci` runs those files alone; `--release` runs every file, and the long runs in them (FLOE_TEST_FULL), and writes what they counted
// to bench/results/test-results.md. Files of the tiers `deploy` and `artifacts` run only when they are named: `npm run test:deploy` and
// `npm run test:artifacts` prepare what they need.
// `--times` runs one file after the other and ends with what each took: CPU of its processes, and wall clock.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { buildServer, SERVER } from './build-server.mjs';
import { listSourceFiles } from './source-files.mjs';

/** Tiers whose files run only when they are named. */
const PREPARED_TIERS = new Set(['artifacts', 'deploy']);

const args = process.argv.slice(2);
const release = args.includes('--release');
const timed = args.includes('--times');
const named = args.filter((arg) => !arg.startsWith('--'));
const everything = [
  ...listSourceFiles('packages', ['.test.ts']),
  ...listSourceFiles('scripts', ['.test.mjs']),
];
const tier = release ? 'release' : args.includes('--ci') ? 'ci' : 'quick';
const files =
  named.length > 0
    ? named
    : everything.filter((file) => (release ? !PREPARED_TIERS.has(tierOf(file)) : tierOf(file) === tier));
if (release) process.env.FLOE_TEST_FULL = '1';
// Every file and every server it starts reads the same sources.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'floe-compile-cache');

// Some files run from the sources; for many the build pays, which is what `npm start` runs.
if (named.length === 0 || named.length > 20) {
  await buildServer();
  process.env.FLOE_TEST_SERVER = SERVER;
}

const wantsPostgres = files.some((file) => readFileSync(file, 'utf8').includes('postgres-database.ts'));
const postgres = wantsPostgres ? await sharedPostgres() : null;

/** What tests counted: lines that start with "# ". */
const figures = [];
const started = Date.now();
const results = timed ? await runTimed(files) : await runFiles(files, 2 * availableParallelism());
const sum = (name) => [...results.values()].reduce((total, counts) => total + counts[name], 0);
print(`${files.length} files in ${((Date.now() - started) / 1000).toFixed(1)} s`);
const nothing = sum('passed') + sum('failed') === 0;
if (nothing) print('no test ran');
const total = `${sum('passed')} passed, ${sum('failed')} failed${sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''}`;
if (release && named.length === 0) writeFileSync('bench/results/test-results.md', recorded(total));
print(total);
postgres?.stop();
process.exitCode = sum('failed') > 0 || nothing ? 1 : 0;

/** Runs test files singly and prints what each took, the dearest first. A shared PostgreSQL is not in it. */
async function runTimed(list) {
  const results = new Map();
  const rows = [];
  for (const file of list) {
    const before = childCpuSeconds();
    const began = Date.now();
    for (const [name, counts] of await runFiles([file], 1)) results.set(name, counts);
    rows.push({ file, cpu: childCpuSeconds() - before, wall: (Date.now() - began) / 1000 });
  }
  rows.sort((one, other) => other.cpu - one.cpu);
  for (const { file, cpu, wall } of rows) print(`${cpu.toFixed(1)} s CPU, ${wall.toFixed(1)} s: ${file}`);
  print(`${rows.reduce((total, { cpu }) => total + cpu, 0).toFixed(1)} s CPU in all`);
  return results;
}

/** CPU of every descendant that has ended and was waited for (Linux: proc_pid_stat(5), fields 16 and 17 in 1/100 s). */
function childCpuSeconds() {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return (user + system) / 100;
}

/** Runs test files; resolves to what passed, failed and was skipped in each. */
function runFiles(list, concurrency) {
  const counted = new Map(list.map((file) => [file, { passed: 0, failed: 0, skipped: 0 }]));
  const of = (event) => {
    const file = event.file ? relative(process.cwd(), event.file) : '';
    const counts = counted.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
    counted.set(file, counts);
    return counts;
  };
  const timeout = release ? 1_800_000 : 240_000;
  const execArgv = ['--import', new URL('./end-of-tests.mjs', import.meta.url).href];
  const stream = run({ files: list, concurrency, isolation: 'process', execArgv, timeout });
  stream.on('test:pass', (event) => {
    if (event.details.type === 'suite') return;
    const reason = event.skip ?? event.todo;
    if (reason === undefined) of(event).passed += 1;
    else {
      of(event).skipped += 1;
      print(`skip ${place(event)} ${event.name} — ${reason || 'no reason given'}`);
    }
  });
  stream.on('test:fail', (event) => {
    const { type, error } = event.details;
    if (type === 'suite' && error?.failureType === 'subtestsFailed') return;
    of(event).failed += 1;
    const cause = error?.cause ?? error;
    print(
      `FAIL ${place(event)} ${event.name}\n${indent(typeof cause?.stack === 'string' ? cause.stack : inspect(cause))}`,
    );
  });
  stream.on('test:stderr', (event) => process.stderr.write(event.message));
  // Tests say what they counted in lines that start with "# "; everything else they print is noise.
  stream.on('test:stdout', (event) => {
    for (const line of event.message.split('\n')) if (line.startsWith('# ')) note(event, line.slice(2));
  });
  stream.on('test:diagnostic', (event) => {
    const own =
      event.nesting > 0 ||
      (event.file && !/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(event.message));
    if (own) note(event, event.message);
  });
  return new Promise((resolve) => {
    stream.on('end', () => resolve(counted));
    stream.resume();
  });
}

/** Tests in which a process dies under load, that ask thousands of requests or need a release say so in their first lines. */
function tierOf(file) {
  return (
    /^\/\/ Tier: (ci|deploy|artifacts)\. \S/m.exec(readFileSync(file, 'utf8').slice(0, 600))?.[1] ?? 'quick'
  );
}

/** The server that files with a database of their own share, and the database they copy; a file that runs alone starts one. */
async function sharedPostgres() {
  const { getTestPostgres } = await import('../packages/testkit/src/postgres.ts');
  const started = await getTestPostgres();
  process.env.FLOE_TEST_POSTGRES_URL = started.url;
  const { createTemplateDatabase } = await import('../packages/server/src/store/test/postgres-template.ts');
  process.env.FLOE_TEST_POSTGRES_TEMPLATE = await createTemplateDatabase(started.url);
  return started;
}

/** Prints what a test counted, and keeps it for the record of a release run. */
function note(event, line) {
  print(`# ${line}`);
  figures.push({ file: place(event), line });
}

/** The record of a release run: what ran where, the sum, and what each file counted. */
function recorded(total) {
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout.trim();
  const minutes = Math.round((Date.now() - started) / 60_000);
  const head = `# Results of \`npm run test:release\`\n\n${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.version}, ${availableParallelism()} cores: ${total} in ${files.length} files and ${minutes} minutes.\n`;
  const byFile = Map.groupBy(figures, ({ file }) => file);
  const parts = [...byFile]
    .sort()
    .map(([file, lines]) => `## ${file}\n\n${lines.map(({ line }) => `- ${line}\n`).join('')}`);
  return [head, ...parts].join('\n');
}

function place(event) {
  return event.file ? relative(process.cwd(), event.file) : '';
}

function indent(text) {
  return text.replace(/^/gm, '    ');
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
