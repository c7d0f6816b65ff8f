// @stdy/cli as the OpenAI upstream: a mock that holds every request against OpenAI's own document.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty, objectsOrEmpty } from './answer-content.ts';

export interface MockVerdict {
  /** Path the gateway chose below the provider's base address. */
  readonly path: string;
  /** False when it answered 400. It takes some requests and finds fault with them all the same. */
  readonly accepted: boolean;
  /** What the document does not allow, in the mock's words. Empty: nothing. */
  readonly errors: readonly string[];
  /** Why an error is the mock's own, with that shown by another question; absent when it is the request's. */
  readonly excuse: string | undefined;
}

export interface ComplianceMock {
  readonly url: string;
  /** Verdicts on what was posted since the last call. */
  takeVerdicts(): MockVerdict[];
  close(): Promise<void>;
}

const NO_PARTS =
  'a message made of input parts fits two of the forms in OpenAI’s document, and the mock wants exactly one; ' +
  'the same request with plain texts passes';

/** Starts the mock, and a relay before it that keeps what it said of each request. */
export async function startComplianceMock(judges: string, spec: string): Promise<ComplianceMock> {
  const port = await freePort();
  const program = join(judges, 'node_modules', '@stdy', 'cli', 'steady.js');
  const args = [program, '--host', '127.0.0.1', '-p', String(port), '-q', '--log-format', 'json', spec];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const mock = `http://127.0.0.1:${port}`;
  const verdicts: MockVerdict[] = [];
  const relay = await startFakeUpstream({
    async respond(request): Promise<UpstreamReply> {
      if (request.method !== 'POST') return createJsonReply({ object: 'list', data: [] });
      const { answer, errors } = await post(mock, request);
      const body = objectOrEmpty(JSON.parse(request.body.toString('utf8')));
      const plain = { ...request, body: Buffer.from(JSON.stringify(withoutParts(body))) };
      const isExcused = errors.length > 0 && (await post(mock, plain)).errors.length === 0;
      const excuse = isExcused ? NO_PARTS : undefined;
      verdicts.push({ path: request.path, accepted: answer.status !== 400, errors, excuse });
      return answer;
    },
  });
  const close = async (): Promise<void> => {
    child.kill();
    await relay.close();
  };
  try {
    await eventually(async () => ((await fetch(`${mock}/models`)).ok ? true : undefined));
  } catch (error) {
    await close();
    throw error;
  }
  return { url: relay.url, takeVerdicts: () => verdicts.splice(0), close };
}

async function post(mock: string, request: ReceivedRequest) {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer k' };
  const body = request.body.toString('utf8');
  const answer = await fetch(mock + request.path, { method: 'POST', headers, body });
  const text = await answer.text();
  const count = Number(answer.headers.get('x-steady-error-count') ?? assert.fail('no word of the mock'));
  const errors = Array.from({ length: count }, (_, at) =>
    ['path', 'message'].map((part) => answer.headers.get(`x-steady-error-${at + 1}-${part}`)).join(': '),
  );
  if (answer.status === 400 && count === 0) errors.push(text.slice(0, 600));
  const type = answer.headers.get('content-type') ?? 'application/json';
  const reply: UpstreamReply = { status: answer.status, headers: { 'content-type': type }, body: text };
  return { answer: reply, errors };
}

/** The request with a text in place of each message made of what OpenAI documents as input parts. */
function withoutParts(body: JsonObject): JsonObject {
  const input = body['input'];
  if (!Array.isArray(input)) return body;
  const isInput = (part: JsonObject) => /^input_(text|image|file)$/.test(String(part['type']));
  const plain = input.map((item) => {
    if (!isJsonObject(item) || !Array.isArray(item['content']) || item['role'] === 'assistant') return item;
    return objectsOrEmpty(item['content']).every(isInput) ? { ...item, content: 'x' } : item;
  });
  return { ...body, input: plain };
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
