import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const MODULE = pathToFileURL(join(import.meta.dirname, 'exit-process.ts')).href;
/** Far above what a busy machine needs; only a process that never ends gets there. */
const HUNG_MS = 60_000;

/** Things that keep a process alive, or its end from coming. */
const KEPT_BY: Readonly<Record<string, string>> = {
  nothing: '',
  'a timer': 'setInterval(() => undefined, 1000);',
  'a listening socket': "(await import('node:net')).createServer().listen(0);",
  'its open input': 'process.stdin.resume();',
};
/** A thread of libuv that waits for ever, as one that looks up a name waits for a name server. */
const BLOCKED = "(await import('node:fs')).open('pipe', 'r', () => undefined);";

async function ended(code: string, cwd: string) {
  const program = `const { exitProcess } = await import(${JSON.stringify(MODULE)}); ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const hung = setTimeout(() => child.kill('SIGKILL'), HUNG_MS);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(hung);
  child.stdin.destroy();
  return { exitCode, stdout };
}

suite('exitProcess', () => {
  for (const [what, code] of Object.entries(KEPT_BY))
    test(`a process that ${what} would keep alive ends with its exit code, also where it cannot be replaced`, async () => {
      for (const exitCode of [0, 2])
        for (const platform of ['', 'process.execve = undefined;'])
          assert.deepEqual(
            await ended(
              `${platform} ${code} process.stdout.write('said', () => exitProcess(${exitCode}));`,
              tmpdir(),
            ),
            { exitCode, stdout: 'said' },
          );
    });

  test('a process one of whose threads never returns ends', {
    skip: process.platform === 'win32',
  }, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'floe-end-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    assert.equal(spawnSync('mkfifo', [join(directory, 'pipe')]).status, 0);
    assert.deepEqual(
      await ended(`${BLOCKED} process.stdout.write('said', () => exitProcess(2));`, directory),
      {
        exitCode: 2,
        stdout: 'said',
      },
    );
  });
});
