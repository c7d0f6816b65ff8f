// Tier: ci. It starts a server for every page with commands.
// The documentation does what it shows: every configuration is valid, every command and every program runs, in the order
// of the page, against a running Floe, and prints the output that follows it. CONTRIBUTING.md has the rules for writers.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { checkConfigFile } from '../packages/server/src/config/check-config.ts';
import { readEnvironment } from '../packages/server/src/config/environment.ts';
import { findConfigIssues } from '../packages/server/src/management/config/find-config-issues.ts';
import { startFloeProcess } from '../packages/testkit/src/floe-process.ts';
import { MINIMAL_ENVIRONMENT } from '../packages/testkit/src/minimal-environment.ts';
import { codeBlocksOf, documentationPages } from './doc-pages.mjs';
import { root } from './setup.mjs';

/** How each language is run; blocks of the other known languages are only shown. */
const PROGRAMS = { sh: null, js: 'node', python: 'python3' };
const KNOWN = new Set([
  ...Object.keys(PROGRAMS),
  ...['cel', 'csv', 'http', 'ini', 'json', 'mermaid', 'nginx', 'text', 'toml', 'ts', 'yaml'],
]);
/** The address that pages show; commands get that of the server of the test instead. */
const SHOWN_URL = 'http://127.0.0.1:3563';
const PAGE_TIMEOUT_MS = 120_000;
const blockDirectory = mkdtempSync(join(tmpdir(), 'floe-block-'));
after(() => rmSync(blockDirectory, { recursive: true, force: true }));

for (const { path, text } of documentationPages()) {
  const blocks = codeBlocksOf(text);
  test(`${path}: its blocks are valid`, () => {
    const faults = blocks.flatMap((block) =>
      faultsOf(block).map((fault) => `${path}:${block.line}: ${fault}`),
    );
    if (faults.length > 0) assert.fail(faults.join('\n'));
  });
}

suite('pages with commands', { concurrency: 2 }, () => {
  for (const { path, text } of documentationPages()) {
    const runnable = runnableOf(codeBlocksOf(text));
    if (runnable.length > 0)
      test(`${path}: its commands do what they show`, { timeout: PAGE_TIMEOUT_MS }, (t) =>
        runPage(t, path, runnable),
      );
  }
});

test('a line of only … stands for any lines, … for anything within a line', () => {
  assert.equal(outputMatches('a\nb 12 c\nd', 'a\nb … c\nd'), true);
  assert.equal(outputMatches('a\nb\nc\nd', 'a\n…\nd'), true);
  assert.equal(outputMatches('a\nd', 'a\n…\nd'), true);
  assert.equal(outputMatches('a\nb\nd', 'a\nd'), false);
});

/** What is wrong with a block as it is written. */
function faultsOf({ language, info, code }) {
  if (!KNOWN.has(language)) return [`unknown language "${language}"; use one of ${[...KNOWN].join(', ')}`];
  if (language === 'json') return jsonFaults(code);
  if (language !== 'yaml' || info === 'other') return [];
  const path = join(blockDirectory, 'floe.yaml');
  writeFileSync(path, code);
  const { ok, lines } = checkConfigFile({
    env: readEnvironment({}),
    path,
    validateSemantics: findConfigIssues,
    allowUnset: true,
  });
  return ok ? [] : lines;
}

function jsonFaults(code) {
  try {
    JSON.parse(code);
    return [];
  } catch (error) {
    return [error.message];
  }
}

/** The blocks that are run, each with the output that is shown directly below it. */
function runnableOf(blocks) {
  return blocks.flatMap((block, index) => {
    if (!(block.language in PROGRAMS) || block.notRun !== null) return [];
    const next = blocks[index + 1];
    return [{ ...block, expected: next?.language === 'text' && next.follows ? next.code : null }];
  });
}

/** Runs the blocks of a page in one bash session and compares what each printed. */
async function runPage(t, path, blocks) {
  const floe = await startFloeProcess();
  const home = mkdtempSync(join(tmpdir(), 'floe-docs-'));
  t.after(async () => {
    await floe.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const work = join(home, 'work');
  const parts = join(home, 'parts');
  for (const directory of [work, parts]) mkdirSync(directory);
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  const session = join(home, 'session.sh');
  const steps = blocks.map((block, index) =>
    stepOf(block, join(parts, String(index)), { path, url: floe.url }),
  );
  writeFileSync(session, steps.join('\n'));
  await runSession(session, work, {
    ...MINIMAL_ENVIRONMENT,
    PATH: [shims(home), dirname(process.execPath), MINIMAL_ENVIRONMENT.PATH].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    PYTHONPATH: join(root, 'sdk-python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
    FLOE_BASE_URL: floe.url,
    FLOE_API_KEY: await floe.waitForKey(),
    FLOE_DATA_DIR: floe.dataDir,
  });
  for (const [index, block] of blocks.entries()) {
    const fault = outcomeOf(block, join(parts, String(index)), floe.url);
    if (fault !== null) assert.fail(`${path}:${block.line}: ${fault}`);
  }
}

/** The part of the session that runs a block. It ends the session when a command without an expected output fails. */
function stepOf({ language, code, line, expected }, part, { path, url }) {
  const shown = code.replaceAll(SHOWN_URL, url);
  const endings = { sh: 'sh', js: 'mjs', python: 'py' };
  // Empty lines in front, so that messages name the line of the page.
  const file = join(dirname(dirname(part)), `${basename(part)}-${basename(path)}.${endings[language]}`);
  writeFileSync(file, `${'\n'.repeat(line - 1)}${shown}\n`);
  const run = language === 'sh' ? `. '${file}'` : `${PROGRAMS[language]} '${file}'`;
  const strict = expected === null ? 'set -e' : 'set +e';
  return `${strict}\n{ ${run}\n} >'${part}.out' 2>'${part}.err'\necho $? >'${part}.code'`;
}

/** What went wrong with a block, or null. */
function outcomeOf({ expected }, part, url) {
  const read = (ending) =>
    existsSync(`${part}.${ending}`)
      ? readFileSync(`${part}.${ending}`, 'utf8').replaceAll(url, SHOWN_URL)
      : null;
  const [out, err] = [read('out'), read('err')];
  if (expected === null)
    return read('code') === null ? `a command failed:\n${out ?? ''}${err ?? '(it was not reached)'}` : null;
  const matches = [out, err, `${out}${err}`].some((text) => text !== null && outputMatches(text, expected));
  return matches ? null : `printed\n${out}${err}\nwhere the page shows\n${expected}`;
}

/** Whether `…` and lines of `…` in the expected output can stand for what the actual one has there. */
function outputMatches(actual, expected) {
  const pattern = expected
    .trim()
    .split('\n')
    .map((line) => {
      if (line.trim() === '…') return '(?:[^\\n]*\\n)*?';
      const parts = line
        .trimEnd()
        .split('…')
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return `${parts.join('[^\\n]*')}\\n`;
    })
    .join('');
  const lines = actual
    .trim()
    .split('\n')
    .map((line) => line.trimEnd());
  return new RegExp(`^${pattern}$`).test(`${lines.join('\n')}\n`);
}

async function runSession(session, cwd, env) {
  const bash = spawn('bash', [session], { cwd, env, stdio: 'ignore', detached: true });
  await once(bash, 'close');
  try {
    // What the page left running in the background.
    process.kill(-bash.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** A directory with `floe`, `npx floe`, and a `curl` that fails when the response is an error. */
function shims(home) {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const write = (name, script) => writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  write('floe', `exec '${process.execPath}' '${join(root, 'packages/cli/bin/floe')}' "$@"`);
  write(
    'npx',
    `[ "$1" = floe ] || { echo "npx $1 cannot run in a test" >&2; exit 1; }\nshift\nexec '${bin}/floe' "$@"`,
  );
  write(
    'curl',
    `PATH=\${PATH#*:}\ncase " $* " in *" -f"*|*" --fail"*) exec curl "$@";; esac\nexec curl --fail-with-body "$@"`,
  );
  return bin;
}
