// What the tests of the release share: the two builds, empty directories, and a server that is not run from the sources.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../setup.mjs';

/** The two builds; `npm run test:artifacts` sets them. */
export const BUILDS = (process.env.FLOE_TEST_RELEASES ?? '').split(':').filter(Boolean);
export const VERSION = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Path of an artifact in the first build. */
export function artifact(name) {
  const [first] = BUILDS;
  if (first === undefined) throw new Error('no release is built; run npm run test:artifacts');
  return join(first, name);
}

/** An empty directory outside the repository; removed after the test. */
export function emptyDirectory(t) {
  const dir = mkdtempSync(join(tmpdir(), 'floe-artifact-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Runs a program with this environment and nothing else; returns its standard output. Fails with all it printed. */
export function run(program, args, { cwd, env = {}, input } = {}) {
  const done = spawnSync(program, args, { cwd, env, input, encoding: 'utf8', timeout: 120_000 });
  const output = `${done.stdout}${done.stderr}${done.error ?? ''}`;
  assert.equal(
    done.status,
    0,
    `${program} ${args.join(' ')} ended with ${done.status ?? done.signal}:\n${output}`,
  );
  return done.stdout;
}

/** Extracts an artifact into a directory. */
export function extract(name, to, args = []) {
  run('tar', ['-xzf', artifact(name), '-C', to, ...args], { env: { PATH: SYSTEM_PATH } });
}

/**
 * Starts a server and waits until it listens. It is ended after the test.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env: Record<string, string> }} options
 * @returns {Promise<{ url: string, key: string, pid: number, output: () => string, stop: () => Promise<number | null> }>}
 * @throws Error with its output when it ends or does not listen within two minutes
 */
export async function startServer(t, program, args, { cwd, env }) {
  const settings = { FLOE_SHUTDOWN_DELAY_MS: '0', FLOE_DRAIN_TIMEOUT_MS: '10000', FLOE_PORT: '0', ...env };
  const stdio = ['ignore', 'pipe', 'pipe'];
  const child = spawn(program, args, { cwd, env: settings, stdio, detached: true });
  let text = '';
  const closed = once(child, 'close').then(([code]) => code);
  t.after(() => killGroup(child.pid));
  const listening = new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`it does not listen after two minutes:\n${text}`)),
      120_000,
    );
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part) => {
        text += part;
        const found = /"local_url":"(http:[^"]+)"[^\n]*"key":"(eis_[^"]+)"[^\n]*\n/.exec(text);
        if (!found) return;
        clearTimeout(timer);
        resolve({ url: found[1].replace('0.0.0.0', '127.0.0.1'), key: found[2] });
      });
    child.on('error', reject);
    closed.then((code) => reject(new Error(`it ended with ${code}:\n${text}`)), reject);
  });
  const { url, key } = await listening;
  const stop = () => {
    child.kill('SIGTERM');
    return closed;
  };
  return { url, key, pid: child.pid, output: () => text, stop };
}

/** Ends a process and those that it started: `floe serve` starts the server, and cannot end it when it is killed. */
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // None of them is left.
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Asks the sandbox model through the gateway; fails unless it answers. */
export async function assertAnswers({ url, key }) {
  const answer = await fetch(`${url}/gateway/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const body = await answer.text();
  assert.equal(answer.status, 200, body);
  assert.equal(JSON.parse(body).choices[0].message.content, 'Hello');
}
