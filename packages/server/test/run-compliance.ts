// Run by scripts/test-compliance.mjs with the directory the judges are installed in. Ends with 1 on a failure.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { call } from '@floe/testkit/client';
import { ABLE_MODELS, startAbleHouse } from './able-house.ts';
import { objectOf, objectsIn } from './answers-said.ts';
import { REQUESTS } from './compliance-requests.ts';
import { eventually } from './eventually.ts';

const LIMIT_MS = 60_000;
const judges = process.argv[2] ?? '.';
const SPECS = process.env['FLOE_FIXTURES']
  ? resolve(process.env['FLOE_FIXTURES'], '../specs')
  : resolve(import.meta.dirname, '../../../../shared/specs');
const spec = join(SPECS, 'openai-openapi.json');

/** As OpenAI's own guide writes a conversation; the judge takes one such message, and two it does not. */
const TWO_MESSAGES = {
  model: 'gpt-5',
  input: ['a', 'b'].map((text) => ({ role: 'user', content: [{ type: 'input_text', text }] })),
};

let failed = 0;
function report(ok: boolean, what: string, why = ''): void {
  if (!ok) failed += 1;
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${what}${ok || why === '' ? '' : `: ${why}`}\n`);
}

const port = await freePort();
const mock = existsSync(spec) ? spawnMock(port) : null;
const house = await startAbleHouse([
  { id: 'openai', kind: 'openai', base_url: `http://127.0.0.1:${port}`, api_key: 'k', models: ['*'] },
]);
try {
  for (const model of ABLE_MODELS) await scan(model);
  if (mock === null)
    process.stdout.write(`skip what OpenAI's specification says of our requests: no ${spec}\n`);
  else await askThroughMock();
} finally {
  mock?.kill();
  await house.close();
}
process.exitCode = failed === 0 ? 0 : 1;

/** compatcanary as a client of this model. */
async function scan(model: string): Promise<void> {
  const program = join(judges, 'node_modules', 'compatcanary', 'src', 'cli.js');
  const args = ['scan', '--base-url', house.url, '--model', model, '--format', 'json', '--fail-on', 'never'];
  const env = { PATH: process.env['PATH'] ?? '', OPENAI_API_KEY: house.key };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    env,
    timeout: LIMIT_MS,
  });
  const results = objectsIn(objectOf(JSON.parse(stdout))['results']);
  if (results.length === 0) report(false, `compatcanary ${model}`, `no results in ${stdout.slice(0, 300)}`);
  for (const result of results)
    report(result['status'] === 'pass', `compatcanary ${model} ${result['id']}`, String(result['summary']));
}

function spawnMock(onPort: number) {
  const program = join(judges, 'node_modules', '@stdy', 'cli', 'steady.js');
  const args = [program, '--host', '127.0.0.1', '-p', String(onPort), '-q', '--log-format', 'json', spec];
  return spawn(process.execPath, args, { stdio: 'ignore' });
}

/** Requests of every surface for a model behind OpenAI: the mock answers 400 to what its document does not allow. */
async function askThroughMock(): Promise<void> {
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/models`);
    return answer.ok ? true : undefined;
  });
  const refusesParts = (await askMock(TWO_MESSAGES)) === 400;
  for (const [name, path, body] of REQUESTS)
    for (const stream of [false, true]) {
      const answer = await call(`${house.url}${path}`, {
        headers: { authorization: `Bearer ${house.key}` },
        body: { ...body, stream },
      });
      if (answer.status === 400 && refusesParts && /\/messages tool turn/.test(name)) {
        process.stdout.write(
          `skip @stdy/cli ${name}: it refuses any two messages made of parts, OpenAI's example too\n`,
        );
        continue;
      }
      // Its made-up answers are not judged here, only whether it took the request.
      report(
        answer.status !== 400,
        `@stdy/cli ${name}${stream ? ', streamed' : ''}`,
        answer.text.slice(0, 600),
      );
    }
}

async function askMock(body: object): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer k' };
  const answer = await fetch(`http://127.0.0.1:${port}/responses`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  await answer.text();
  return answer.status;
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
