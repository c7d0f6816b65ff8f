import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonExactly } from '@floe/contract/json';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from './dialects.ts';
import { normalizeIdeRequest } from './ide/normalize-request.ts';
import { isJsonObject } from './json-narrowing.ts';

const NOTATIONS = ['4096', '4096.0', '4.096e3', '40960e-1'];
const MESSAGES = '"messages":[{"role":"user","content":"Hi"}]';

/** The same limit in every client dialect. */
const BODIES: Readonly<Record<keyof typeof CLIENT_DIALECTS, (limit: string) => string>> = {
  chat: (limit) => `{"model":"m","max_completion_tokens":${limit},${MESSAGES}}`,
  responses: (limit) => `{"model":"m","max_output_tokens":${limit},"input":"Hi"}`,
  messages: (limit) => `{"model":"m","max_tokens":${limit},${MESSAGES}}`,
};
const CLIENTS = ['chat', 'responses', 'messages'] as const;
const TARGETS = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const;

function parse(text: string) {
  const body = parseJsonExactly(text);
  return isJsonObject(body) ? body : assert.fail(text);
}

test('a token limit keeps its notation in every translation', () => {
  for (const client of CLIENTS)
    for (const limit of NOTATIONS) {
      const request = CLIENT_DIALECTS[client].readRequest(parse(BODIES[client](limit)));
      for (const target of TARGETS) {
        const { body } = UPSTREAM_DIALECTS[target].writeRequest(request, {});
        const sent = /"(?:max\w*tokens|maxTokens|maxOutputTokens)":([^,}]+)/i.exec(JSON.stringify(body))?.[1];
        assert.equal(sent, limit, `${client} to ${target}`);
      }
    }
});

test('a token limit from an IDE keeps its notation, and must be a positive integer', () => {
  for (const limit of NOTATIONS) {
    const { body } = normalizeIdeRequest(parse(BODIES.chat(limit)));
    assert.match(
      JSON.stringify(body),
      new RegExp(`"max_completion_tokens":${limit.replace('.', '\\.')}[,}]`),
    );
  }
  for (const limit of ['1.50', '0.0', '-1e2'])
    assert.throws(() => normalizeIdeRequest(parse(BODIES.chat(limit))), /`max_completion_tokens` must be/);
});

test('a token limit has its value in all computations, whatever its notation is', () => {
  const request = CLIENT_DIALECTS.chat.readRequest(
    parse(`{"model":"m","max_tokens":5e3,"reasoning_effort":"high",${MESSAGES}}`),
  );
  const { body } = UPSTREAM_DIALECTS.messages.writeRequest(request, { reasoningStyle: 'budget' });
  assert.match(JSON.stringify(body), /"max_tokens":5e3,.*"budget_tokens":4000[,}]/);
  const small = CLIENT_DIALECTS.chat.readRequest(parse(`{"model":"m","max_tokens":1.0,${MESSAGES}}`));
  const { body: clamped, dropped } = UPSTREAM_DIALECTS.responses.writeRequest(small, {});
  assert.deepEqual([clamped['max_output_tokens'], [...dropped]], [16, ['max_output_tokens.clamped']]);
});
