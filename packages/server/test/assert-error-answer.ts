import assert from 'node:assert/strict';
import { FAULTS, type FaultCode } from '@floe/contract/faults';
import { isJsonObject } from '@floe/contract/json';

/** What a client can see of an error answer; both clients of the testkit give it. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface ExpectedError {
  readonly code: FaultCode;
  /** Path of the field; absent means that the answer names none. */
  readonly param?: string;
  /** What the message must say beside that. */
  readonly message?: RegExp;
  readonly shape?: 'openai' | 'anthropic';
}

/** Holds an error answer against every promise of the platform: status, shape, ids, headers. */
export function assertErrorAnswer(answer: ErrorAnswer, expected: ExpectedError, what: string): void {
  const { code, param, message, shape = 'openai' } = expected;
  const spec = FAULTS[code];
  assert.equal(answer.status, spec.status, `${what}: status; body ${answer.text}`);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/, what);
  const body: unknown = JSON.parse(answer.text);
  assert.ok(isJsonObject(body) && isJsonObject(body.error), `${what}: no error object: ${answer.text}`);
  const { error } = body;
  assert.equal(error.code, code, `${what}: code; body ${answer.text}`);
  assert.equal(error.type, spec[shape], `${what}: type`);
  assert.equal(body.type, shape === 'anthropic' ? 'error' : undefined, what);
  assert.equal(error.param ?? undefined, param, `${what}: param`);
  if (shape === 'openai') assert.ok('param' in error, `${what}: the OpenAI shape always has a param`);
  assert.ok(typeof error.message === 'string' && error.message.length > 10, `${what}: message`);
  if (message) assert.match(error.message, message, what);
  assert.match(String(body.request_id), /^exc_\w{20,}$/, `${what}: request id in the body`);
  assertHeaders(answer, code, String(body.request_id), what);
}

function assertHeaders({ headers }: ErrorAnswer, code: FaultCode, id: string, what: string): void {
  const spec = FAULTS[code];
  assert.equal(headers['x-request-id'], id, `${what}: request id in the header`);
  const source = code.startsWith('upstream_') ? 'upstream' : 'gateway';
  assert.equal(headers['x-floe-error-source'], source, `${what}: x-floe-error-source`);
  const waits = spec.status === 429 || spec.status === 503;
  if (waits) assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/, `${what}: retry-after`);
  if (waits) assert.match(headers['retry-after-ms'] ?? '', /^\d+$/, `${what}: retry-after-ms`);
  assert.equal(headers['x-should-retry'], 'retry' in spec ? 'false' : undefined, `${what}: x-should-retry`);
}
