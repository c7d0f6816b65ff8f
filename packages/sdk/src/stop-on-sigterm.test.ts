import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { TEST_TIMEOUT_MS } from '@floe/testkit/eventually';

/** Starts two loops whose last beats are printed. */
const PROGRAM = `
import { Floe } from ${JSON.stringify(import.meta.resolve('./floe.ts'))};
const answer = { ok: true, monitor_id: 'job', beat_id: 'beat_1' };
const fetch = async (_, { body }) => {
  process.stdout.write(body + '\\n');
  return Response.json(answer);
};
const floe = new Floe({ apiKey: 'eis_test_key', fetch });
const options = { everySeconds: 3600, keepAlive: true, stopOnSigterm: true, beatAtStart: false };
for (const id of ['one', 'two']) floe.startHeartbeat(id, options);
if (process.argv[1] === 'with-listener') process.on('SIGTERM', () => setTimeout(() => process.exit(3), 200));
process.stdout.write('ready\\n');
`;

async function terminate(...args: readonly string[]) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // A process that ignores the signal is killed, so that the test ends.
    timeout: TEST_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    if (!text.includes('ready') && part.includes('ready')) child.kill('SIGTERM');
    text += part;
  });
  const [code, signal] = await once(child, 'close');
  const stopped = text.split('\n').filter((line) => line.includes('"stopped":true'));
  return { code, signal, beats: stopped.length };
}

test('a process with several loops sends their last beats on SIGTERM and then ends by the signal', async () => {
  assert.deepEqual(await terminate(), { code: null, signal: 'SIGTERM', beats: 2 });
});

test('if the program has its own listener for SIGTERM, the loops do not end the process', async () => {
  assert.deepEqual(await terminate('with-listener'), { code: 3, signal: null, beats: 2 });
});
