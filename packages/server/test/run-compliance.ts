// Run by scripts/test-compliance.mjs with the directory the judges are installed in. Ends with 1 on a failure, or
// when a judge could not be asked.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { promisify } from 'node:util';
import type { JsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import { IDE_BODIES } from '../../wire/test/ide-bodies.ts';
import { objectOrEmpty, objectsOrEmpty } from './answer-content.ts';
import { COMPLIANCE_MODELS, type ComplianceGateway, startComplianceGateway } from './compliance-gateway.ts';
import { type ComplianceMock, type MockVerdict, startComplianceMock } from './compliance-mock.ts';
import { COMPLIANCE_REQUESTS } from './compliance-requests.ts';
import { type ComplianceOutcome, ComplianceTable } from './compliance-table.ts';

const LIMIT_MS = 60_000;
/** Spoken to in Chat and in Responses: each body of an IDE goes to both. */
const IDE_MODELS = ['openai/gpt-4o', 'openai/gpt-5'];
const UPSTREAMS: Readonly<Record<string, string>> = {
  'chat/able': 'OpenAI dialect',
  'messages/able': 'Anthropic dialect',
};
const judges = process.argv[2] ?? '.';
const SPECS = process.env['FLOE_FIXTURES']
  ? resolve(process.env['FLOE_FIXTURES'], '../specs')
  : resolve(import.meta.dirname, '../../../../shared/specs');
const spec = join(SPECS, 'openai-openapi.json');
const table = new ComplianceTable();

await runScenarios();
if (existsSync(spec)) {
  const mock = await startComplianceMock(judges, spec);
  try {
    await inHarness([openaiAt(mock.url)], (harness) => askAll(harness, mock));
  } finally {
    await mock.close();
  }
} else {
  const why = `OpenAI's specification is not at ${spec}`;
  table.add('@stdy/cli', 'OpenAI', { outcome: 'skipped', subject: 'everything', objection: why });
  await inHarness([], scanAll);
}
process.exitCode = table.print() === 0 ? 0 : 1;

function openaiAt(base_url: string): object {
  return { id: 'openai', kind: 'openai', base_url, api_key: 'k', models: ['*'] };
}

async function inHarness(
  more: readonly object[],
  work: (harness: ComplianceGateway) => Promise<void>,
): Promise<void> {
  const harness = await startComplianceGateway(more);
  try {
    await work(harness);
  } finally {
    await harness.close();
  }
}

async function askAll(harness: ComplianceGateway, mock: ComplianceMock): Promise<void> {
  await scanAll(harness);
  for (const [name, path, body] of COMPLIANCE_REQUESTS)
    await askThroughMock(harness, mock, { corpus: 'every surface', name, url: harness.url + path, body });
  await askToGoOn(harness, mock);
  const url = `${harness.url.replace(/\/v1$/, '/ide-adapter')}/chat/completions`;
  for (const model of IDE_MODELS)
    for (const { name, body } of IDE_BODIES) {
      const question = { corpus: 'IDE corpus', name: `${name} (${model})`, url, body: { model, ...body } };
      await askThroughMock(harness, mock, question);
    }
}

/** The scenarios of Open Responses, which `npm test` runs too. */
async function runScenarios(): Promise<void> {
  const file = join(import.meta.dirname, 'open-responses.test.ts');
  let waiting: (readonly [name: string, ok: boolean, why: string])[] = [];
  for await (const { type, data } of run({ files: [file], timeout: LIMIT_MS })) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.nesting > 0) {
      const why = type === 'test:fail' ? String(data.details.error.cause ?? data.details.error) : '';
      waiting.push([data.name, type === 'test:pass', why]);
      continue;
    }
    // A suite's own word comes after those of its tests.
    const upstream = UPSTREAMS[data.name.replace('Open Responses over ', '')] ?? data.name;
    if (waiting.length === 0) waiting.push([data.name, type === 'test:pass' && data.skip === undefined, '']);
    for (const [name, ok, why] of waiting)
      table.add('Open Responses', upstream, {
        outcome: ok ? 'passed' : 'failed',
        subject: name,
        objection: why,
      });
    waiting = [];
  }
}

/** compatcanary as a client of each model. */
async function scanAll(harness: ComplianceGateway): Promise<void> {
  const program = join(judges, 'node_modules', 'compatcanary', 'src', 'cli.js');
  const env = { PATH: process.env['PATH'] ?? '', OPENAI_API_KEY: harness.key };
  for (const model of COMPLIANCE_MODELS) {
    const upstream = UPSTREAMS[model] ?? model;
    const asked = ['--base-url', harness.url, '--model', model];
    const args = [program, 'scan', ...asked, '--format', 'json', '--fail-on', 'never'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: LIMIT_MS });
    const results = objectsOrEmpty(objectOrEmpty(JSON.parse(stdout))['results']);
    if (results.length === 0)
      table.add('compatcanary', upstream, {
        outcome: 'failed',
        subject: model,
        objection: `no results in ${stdout.slice(0, 300)}`,
      });
    for (const result of results) {
      const outcome = result['status'] === 'pass' ? 'passed' : 'failed';
      table.add('compatcanary', upstream, {
        outcome,
        subject: String(result['id']),
        objection: String(result['summary']),
      });
    }
  }
}

/** A conversation that others have begun, written anew for a model behind OpenAI. */
async function askToGoOn(harness: ComplianceGateway, mock: ComplianceMock): Promise<void> {
  const url = `${harness.url}/responses`;
  const headers = { authorization: `Bearer ${harness.key}` };
  for (const begun of COMPLIANCE_MODELS) {
    const first = await callHttp(url, { headers, body: { model: begun, input: 'Hi' } });
    const previous_response_id = objectOrEmpty(first.json())['id'] ?? null;
    for (const model of IDE_MODELS) {
      const name = `/responses going on from ${begun} (${model})`;
      const body = { model, input: 'And now?', previous_response_id };
      await askThroughMock(harness, mock, { corpus: 'every surface', name, url, body });
    }
  }
}

interface Question {
  readonly corpus: string;
  readonly name: string;
  readonly url: string;
  readonly body: JsonObject;
}

/** One request, whole and streamed. Its made-up answers are not judged here, only what it says of the request. */
async function askThroughMock(
  harness: ComplianceGateway,
  mock: ComplianceMock,
  question: Question,
): Promise<void> {
  const suite = `@stdy/cli, ${question.corpus}`;
  const headers = { authorization: `Bearer ${harness.key}` };
  for (const stream of [false, true]) {
    const what = stream ? `${question.name}, streamed` : question.name;
    mock.takeVerdicts();
    const answer = await callHttp(question.url, { headers, body: { ...question.body, stream } });
    const [verdict] = mock.takeVerdicts();
    if (verdict === undefined) {
      table.add(suite, 'OpenAI', {
        outcome: 'failed',
        subject: what,
        objection: `not sent on: ${answer.text.slice(0, 300)}`,
      });
      continue;
    }
    const why = [...verdict.errors, ...(verdict.excuse === undefined ? [] : [verdict.excuse])].join('; ');
    table.add(suite, `OpenAI ${verdict.path}`, {
      outcome: outcomeOf(verdict),
      subject: what,
      objection: why,
    });
  }
}

function outcomeOf({ accepted, errors, excuse }: MockVerdict): ComplianceOutcome {
  if (errors.length === 0) return 'passed';
  if (excuse === undefined) return 'failed';
  return accepted ? 'noted' : 'judge errs';
}
