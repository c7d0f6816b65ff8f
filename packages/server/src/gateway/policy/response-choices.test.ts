import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

const BASE = { id: 'c', created: 1, model: 'm' };

/** Replies with two choices, the second of which contains `text`. */
function replyWithTwoChoices(text: string, isStream: boolean): UpstreamReply {
  if (!isStream) {
    const choices = ['fine', text].map((content, index) => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: 'stop',
    }));
    return createJsonReply({ ...BASE, object: 'chat.completion', choices });
  }
  const chunk = (index: number, delta: JsonObject, finish: string | null = null) => ({
    ...BASE,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, finish_reason: finish }],
  });
  const pieces = [text.slice(0, 6), text.slice(6)].map((content) => chunk(1, { content }));
  const ends = [chunk(0, {}, 'stop'), chunk(1, {}, 'stop')];
  return createSseReply([chunk(0, { content: 'fine' }), ...pieces, ...ends, 'data: [DONE]\n\n']);
}

for (const [name, policy, text] of [
  ['condition', { when: 'answer.text.contains("launch code")' }, 'the launch code is 1'],
  ['detector', { detect: { pii: ['credit_card'] } }, '4111 1111 1111 1111'],
] as const)
  test(`a ${name} of a response policy reads every choice that the client requested`, async () => {
    const gateway = await startFakeClockGateway({
      upstreams: { a: (isStream) => replyWithTwoChoices(text, isStream) },
      routes: [],
      org: { policies: [{ name: 'out', on: 'answer', action: 'deny', mode: 'enforce', ...policy }] },
    });
    try {
      const ask = { model: 'a/m', n: 2, messages: [{ role: 'user', content: 'hi' }] };
      for (const stream of [false, true]) {
        const response = await gateway.settled(gateway.send('chat', { ...ask, stream }));
        assert.match(response.text, /policy_denied/);
        assert.doesNotMatch(response.text, /\[DONE\]/);
        if (name === 'detector') assert.doesNotMatch(response.text, / 1111 1111/);
      }
      assert.deepEqual(
        gateway.rows.map(({ error_code }) => error_code),
        ['policy_denied', 'policy_denied'],
      );
    } finally {
      await gateway.close();
    }
  });
