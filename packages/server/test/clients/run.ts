// Run by scripts/test-clients.mjs with the directory the clients are installed in, why some of it is not there, and
// a pattern of names to run. Writes what it saw into docs/reference/clients.md; ends with 1 when a client failed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_DIALECTS } from '../answer-content.ts';
import { type DialectGateway, startDialectGateway } from '../dialect-gateway.ts';
import { AGENT_DEFINITIONS, type AgentDefinition } from './agent-definitions.ts';
import { runAgent } from './agent-runs.ts';
import { type ResultRow, writeResults } from './results.ts';
import { SDK_DEFINITIONS, type SdkDefinition } from './sdk-definitions.ts';
import { type SdkDriver, startSdkDriver } from './sdk-driver.ts';
import { runSdk } from './sdk-runs.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
/** Agents mostly wait; each lane has its own gateway. */
const LANES = 3;

const place = process.argv[2] ?? '.';
const absent: Record<string, string> = JSON.parse(process.argv[3] ?? '{}');
const pattern = new RegExp(process.argv[4] ?? '', 'i');
const today = new Date().toISOString().slice(0, 10);
let failures = 0;
let rows = 0;

// A run that is ended ends its servers: they are taken down on 'exit'.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const sdks = SDK_DEFINITIONS.filter(({ title, name }) => pattern.test(title) || pattern.test(name));
const agents = AGENT_DEFINITIONS.filter(({ name }) => pattern.test(name));
await Promise.all([runSdks('javascript'), runSdks('python')]);
await runAgents();
say(`${rows} clients, ${failures} failures; tables written into docs/reference/clients.md`);
process.exitCode = failures === 0 && rows > 0 ? 0 : 1;

async function runSdks(language: SdkDefinition['language']): Promise<void> {
  const definitions = sdks.filter((definition) => definition.language === language);
  if (definitions.length === 0) return;
  const why = absent[language === 'python' ? 'python' : 'sdks'];
  if (why !== undefined) {
    for (const definition of definitions)
      record('sdks', notRun(definition.title, versionOfSdk(definition), definition.surface, why));
    return;
  }
  const harness = await startDialectGateway();
  const driver = driverOf(language);
  try {
    for (const definition of definitions) record('sdks', await rowOfSdk(definition, harness, driver));
  } finally {
    driver.stop();
    await harness.close();
  }
}

async function rowOfSdk(
  definition: SdkDefinition,
  harness: DialectGateway,
  driver: SdkDriver,
): Promise<ResultRow> {
  const cells: string[] = [];
  for (const dialect of TEST_DIALECTS) {
    const { passed, failed } = await runSdk(definition, dialect, harness, driver);
    cells.push(`${passed}/${passed + failed.length}`);
    say(`${failed.length === 0 ? 'ok  ' : 'FAIL'} ${definition.title} over ${dialect}: ${cells.at(-1)}`);
    for (const one of failed) say(`     ${one}`);
    failures += failed.length;
  }
  return {
    name: definition.title,
    version: versionOfSdk(definition),
    surface: definition.surface,
    cells,
    date: today,
  };
}

async function runAgents(): Promise<void> {
  const gateways: DialectGateway[] = [];
  while (gateways.length < Math.min(LANES, agents.length)) gateways.push(await startDialectGateway());
  for (const definition of agents) record('agents', await rowOfAgent(definition, gateways));
  for (const harness of gateways) await harness.close();
}

async function rowOfAgent(
  definition: AgentDefinition,
  gateways: readonly DialectGateway[],
): Promise<ResultRow> {
  const { name, surface } = definition;
  const version = versionOf('agents', definition.package);
  const why = absent['agents'] ?? cannotStart(definition);
  if (why !== undefined) return notRun(name, version, surface, why);
  const cells: string[] = TEST_DIALECTS.map(() => '');
  const queue = [...TEST_DIALECTS.entries()];
  await Promise.all(
    gateways.map(async (harness) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [at, dialect] = next;
        const faults = await runAgent(definition, dialect, harness, join(place, 'agents'));
        cells[at] = faults.length === 0 ? 'yes' : 'no';
        say(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name} over ${dialect}`);
        for (const one of faults) say(`     ${one}`);
        if (faults.length > 0) failures += 1;
      }
    }),
  );
  return { name, version, surface, cells, date: today };
}

/** Written at once: a run that is ended early has told what it saw. */
function record(table: string, row: ResultRow): void {
  rows += 1;
  writeResults(join(ROOT, 'docs', 'reference', 'clients.md'), { [table]: [row] });
}

function driverOf(language: SdkDefinition['language']): SdkDriver {
  if (language === 'javascript') return startSdkDriver(process.execPath, ['drive.mjs'], join(place, 'sdks'));
  const python = join(place, 'python', 'bin', 'python');
  return startSdkDriver(python, [join(ROOT, 'clients', 'python', 'drive.py')], join(place, 'python'));
}

function cannotStart({ program }: AgentDefinition): string | undefined {
  const path = join(place, 'agents', 'node_modules', '.bin', program);
  if (!existsSync(path)) return 'npm installed no such program';
  const asked = spawnSync(path, ['--version'], {
    encoding: 'utf8',
    timeout: 60_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (asked.status === 0) return undefined;
  const said = asked.error?.message ?? asked.stderr.trim().split('\n').at(-1);
  return `does not start here: ${said || `ends with ${asked.status ?? asked.signal}`}`;
}

function notRun(name: string, version: string, surface: string, why: string): ResultRow {
  failures += 1;
  say(`NOT RUN ${name}: ${why}`);
  return { name, version, surface, cells: [`not run: ${why}`], date: today };
}

function versionOfSdk({ language, packages }: SdkDefinition): string {
  if (language === 'javascript') return packages.map((name) => versionOf('sdks', name)).join(', ');
  const pinned = readFileSync(join(ROOT, 'clients', 'python', 'requirements.txt'), 'utf8').split('\n');
  return packages
    .map((name) => pinned.find((line) => line.startsWith(`${name}==`))?.split('==')[1])
    .join(', ');
}

/** As pinned, which is what is installed. */
function versionOf(where: 'sdks' | 'agents', name: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'clients', where, 'package.json'), 'utf8'));
  return String(dependencies[name]);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
