// The test run itself, on the project's Node: every `*.test.ts` in its own process, as many at once as
// there are cores, and one PostgreSQL for all of them. Prints failures whole, skips with their reason, and
// the sum as its last line.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { sources } from './sources.mjs';

const args = process.argv.slice(2);
const full = args.includes('--full');
const named = args.filter((arg) => !arg.startsWith('--'));
const files =
  named.length > 0 ? named : [...sources('packages', ['.test.ts']), ...sources('scripts', ['.test.mjs'])];
if (full) process.env.FLOE_TEST_FULL = '1';

const wantsPostgres = files.some((file) => readFileSync(file, 'utf8').includes('postgres-database.ts'));
const postgres = wantsPostgres ? await sharedPostgres() : null;

const counts = { passed: 0, failed: 0, skipped: 0 };
const started = Date.now();
const stream = run({
  files,
  concurrency: Math.max(1, availableParallelism()),
  isolation: 'process',
  timeout: full ? 1_800_000 : 240_000,
});

stream.on('test:pass', (event) => {
  if (event.details.type === 'suite') return;
  if (event.skip !== undefined || event.todo !== undefined) {
    counts.skipped += 1;
    print(`skip ${place(event)} ${event.name} — ${event.skip || event.todo || 'no reason given'}`);
  } else counts.passed += 1;
});
stream.on('test:fail', (event) => {
  if (event.details.type === 'suite' && event.details.error?.failureType === 'subtestsFailed') return;
  counts.failed += 1;
  const error = event.details.error?.cause ?? event.details.error;
  print(`FAIL ${place(event)} ${event.name}\n${indent(error?.stack ?? String(error))}`);
});
stream.on('test:stderr', (event) => process.stderr.write(event.message));
// Tests say what they counted in lines that start with "# "; everything else they print is noise.
stream.on('test:stdout', (event) => {
  for (const line of event.message.split('\n')) if (line.startsWith('# ')) print(line);
});
stream.on('test:diagnostic', (event) => {
  if (
    event.nesting > 0 ||
    (event.file && !/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(event.message))
  )
    print(`# ${event.message}`);
});
stream.on('end', () => {
  print(`${files.length} files in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  const nothing = counts.passed + counts.failed === 0;
  if (nothing) print('no test ran');
  print(
    `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
  );
  process.exitCode = counts.failed > 0 || nothing ? 1 : 0;
  postgres?.stop();
});
stream.resume();

/** The server that files with a database of their own share; a file that runs alone starts one. */
async function sharedPostgres() {
  const { testPostgres } = await import('../packages/testkit/src/postgres.ts');
  const started = await testPostgres();
  process.env.FLOE_TEST_POSTGRES_URL = started.url;
  return started;
}

function place(event) {
  return event.file ? event.file.replace(`${process.cwd()}/`, '') : '';
}

function indent(text) {
  return text.replace(/^/gm, '    ');
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
