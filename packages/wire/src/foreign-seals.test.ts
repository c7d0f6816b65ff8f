import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import { mayContainFloeSeals, removeForeignSeals, type SealTarget } from './foreign-seals.ts';
import { scanJsonObject } from './json-edits.ts';
import { packSeal } from './seal.ts';

const runs = process.env.FLOE_TEST_FULL === '1' ? 20_000 : 1_500;

function remove(
  target: SealTarget,
  body: string,
): { readonly text: string; readonly dropped: readonly string[] } {
  const bytes = Buffer.from(body);
  const edited = removeForeignSeals({ body: bytes, members: scanJsonObject(bytes) }, target);
  return { text: edited.body.toString('utf8'), dropped: edited.dropped };
}

/** A part or member, and what is left of it at another target: undefined if nothing is. */
interface Sample {
  readonly value: JsonObject;
  readonly left: JsonObject | undefined;
}

const kept = (value: JsonObject): Sample => ({ value, left: value });
const removed = (value: JsonObject): Sample => ({ value, left: undefined });
/** The usual target is `a`, and the requests go to `b`. */
const MOVED = { origin: 'b', usualOrigin: 'a' } as const;
const FOREIGN = packSeal({ dialect: 'gemini', value: 'c2ln' }, 'b');
const OWN = packSeal({ dialect: 'messages', value: 'c2ln' }, 'b');
const PARTS: readonly Sample[] = [
  kept({ type: 'text', text: '"thinking", [ö] \\' }),
  kept({ type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'r' }] }),
  kept({ type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'd' }] } }),
  kept({ type: 'tool_use', id: 't', name: 'n', input: { type: 'thinking', signature: '', n: 1.5 } }),
  kept({ type: 'tomorrow', signature: 'c2ln' }),
  removed({ type: 'thinking', thinking: 'T', signature: 'c2ln' }),
  removed({ type: 'thinking', thinking: 'T', signature: '' }),
  removed({ thinking: 'T', type: 'thinking' }),
  removed({ type: 'redacted_thinking', data: 'ZGF0YQ==' }),
  removed({ type: 'thinking', thinking: '', signature: FOREIGN }),
  {
    value: { type: 'thinking', thinking: 'T', signature: OWN },
    left: { type: 'thinking', thinking: 'T', signature: 'c2ln' },
  },
];

const message = fc.array(fc.constantFrom(...PARTS), { maxLength: 6 }).map((parts): Sample => {
  const left = parts.flatMap((part) => (part.left ? [part.left] : []));
  const isEmptied = parts.length > 0 && left.length === 0;
  const value = { role: 'assistant', content: parts.map((part) => part.value), note: 'n' };
  return { value, left: isEmptied ? undefined : { ...value, content: left } };
});
const text = kept({ role: 'user', content: 'thinking' });

test('only the parts that the target cannot verify are removed, and every other byte stays', () => {
  const conversation = fc.array(fc.oneof(message, fc.constant(text)), { maxLength: 6 });
  fc.assert(
    fc.property(conversation, fc.constantFrom(0, 1, '\t'), (messages, indent) => {
      const left = messages.flatMap((one) => (one.left ? [one.left] : []));
      fc.pre(left.length > 0 || messages.length === 0);
      const write = (list: readonly JsonObject[]) =>
        JSON.stringify({ model: 'm', messages: list, thinking: { type: 'adaptive' }, x: 1 }, null, indent);
      const { text: edited } = remove(
        { dialect: 'messages', ...MOVED },
        write(messages.map((one) => one.value)),
      );
      assert.equal(edited, write(left));
    }),
    { numRuns: runs },
  );
});

test('the usual target receives its seals and unsigned reasoning, and no empty or packed seal', () => {
  const target = { dialect: 'messages', origin: 'a', usualOrigin: 'a' } as const;
  const write = (...content: readonly object[]) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: 'U' },
        { role: 'assistant', content },
      ],
    });
  const own = [
    { type: 'thinking', thinking: 'T', signature: 'c2ln' },
    { type: 'thinking', thinking: 'T' },
    { type: 'redacted_thinking', data: 'c2ln' },
  ];
  const floes = [
    { type: 'thinking', thinking: 'T', signature: '' },
    { type: 'thinking', thinking: 'T', signature: FOREIGN },
  ];
  assert.equal(remove(target, write(...own)).text, write(...own));
  const { text: edited, dropped } = remove(target, write(...floes, ...own, ...floes));
  assert.equal(edited, write(...own));
  assert.deepEqual(dropped, ['messages.content.thinking', 'reasoning.seal']);
});

test('a tool loop of Messages without signed reasoning loses its thinking budget', () => {
  const user = { role: 'user', content: 'U' };
  const thought = { type: 'thinking', thinking: 'T', signature: 'c2ln' };
  const unsigned = { type: 'thinking', thinking: 'T', signature: '' };
  const own = { type: 'thinking', thinking: 'T', signature: OWN };
  const call = { type: 'tool_use', id: 't', name: 'n', input: {} };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'R' }] };
  const said = { role: 'assistant', content: [{ type: 'text', text: 'A' }] };
  const by = (...content: readonly object[]) => ({ role: 'assistant', content });
  const enabled = { type: 'enabled', budget_tokens: 1024 };
  const strategies = [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }];
  const isLost = (thinking: object, ...messages: readonly object[]) => {
    const rest = { context_management: { edits: strategies }, max_tokens: 9 };
    const written = [
      { thinking, messages, ...rest },
      { model: 'm', messages, ...rest, thinking },
    ].map((body) => remove({ dialect: 'messages', ...MOVED }, JSON.stringify(body, null, 1)));
    const [first, second] = written.map(({ text: edited, dropped }) => {
      const names = Object.keys(JSON.parse(edited));
      assert.equal(edited, JSON.stringify(JSON.parse(edited), null, 1));
      assert.equal(dropped.includes('thinking'), !names.includes('thinking'));
      assert.equal(dropped.includes('context_management.edits'), !edited.includes('clear_thinking'));
      assert.ok(edited.includes('clear_tool_uses') && names.includes('max_tokens'));
      return !names.includes('thinking');
    });
    assert.equal(first, second);
    return first;
  };
  for (const messages of [
    [user, by(thought, call), result],
    [user, by(unsigned, call), result],
    [user, by(thought), by(call), result],
    // A response to a request whose thinking budget was removed.
    [user, by(thought, call), result, by(call), result],
    [user, by(thought, { type: 'server_tool_use', id: 's', name: 'n', input: {} })],
  ]) {
    assert.equal(isLost(enabled, ...messages), true, JSON.stringify(messages));
    assert.equal(isLost({ type: 'adaptive' }, ...messages), false);
  }
  for (const messages of [
    [user, by(thought, call), result, by(own, call), result],
    [user, by(own, call), result],
    [user, by(thought, call), result, said, user],
    [user, by(call), result],
  ])
    assert.equal(isLost(enabled, ...messages), false, JSON.stringify(messages));
});

test('Responses input loses the items of another origin that contain encrypted content', () => {
  const write = (...items: readonly object[]) =>
    JSON.stringify({ model: 'm', input: items, store: false }, null, 2);
  const call = { type: 'function_call', call_id: 'c', name: 'n', arguments: '{"encrypted_content":"x"}' };
  const plain = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'S' }] };
  const sealed = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'c2ln' };
  const compaction = { type: 'compaction', id: 'cmp', encrypted_content: 'c2ln' };
  const packed = packSeal({ dialect: 'responses', value: 'b3du' }, 'b');
  const own = (item: object, encrypted_content: string) => ({ ...item, encrypted_content });
  const { text: edited, dropped } = remove(
    { dialect: 'responses', ...MOVED },
    write(sealed, call, plain, own(sealed, packed), own(compaction, packed), sealed),
  );
  assert.equal(edited, write(call, plain, own(sealed, 'b3du'), own(compaction, 'b3du')));
  assert.deepEqual(dropped, ['reasoning.seal', 'input.reasoning']);
  const usual = { dialect: 'responses', origin: 'a', usualOrigin: 'a' } as const;
  assert.equal(remove(usual, write(sealed, compaction)).text, write(sealed, compaction));
  assert.throws(() => remove({ dialect: 'responses', ...MOVED }, write(compaction, call)), /"compaction"/);
});

test('Chat messages lose their reasoning details at another origin', () => {
  const write = (...messages: readonly object[]) => JSON.stringify({ messages }, null, 1);
  const details = [{ type: 'reasoning.encrypted', data: 'c2ln' }];
  const thought = { type: 'thinking', thinking: 'T', signature: 'c2ln' };
  const calls = [{ id: 'c', type: 'function', function: { name: 'n', arguments: '{}' } }];
  const user = { role: 'user', content: 'U' };
  const body = write(
    user,
    { reasoning_details: details, role: 'assistant', content: [thought, { type: 'text', text: 'A' }] },
    { role: 'assistant', content: [thought], reasoning_details: details, tool_calls: calls },
    { role: 'assistant', content: [thought] },
  );
  const left = write(
    user,
    { role: 'assistant', content: [{ type: 'text', text: 'A' }] },
    { role: 'assistant', content: null, tool_calls: calls },
  );
  const { text: edited, dropped } = remove({ dialect: 'chat', ...MOVED }, body);
  assert.equal(edited, left);
  assert.deepEqual(dropped, ['reasoning.seal', 'messages.content.thinking', 'messages.reasoning_details']);
  assert.equal(remove({ dialect: 'chat', origin: 'a', usualOrigin: 'a' }, body).text, body);
});

test('a Chat message without reasoning is retained if it has a call, a refusal or audio', () => {
  const thought = { type: 'thinking', thinking: 'T', signature: 'c2ln' };
  const user = { role: 'user', content: 'U' };
  const none = { tool_calls: [], function_call: null, refusal: null, audio: null };
  for (const member of [
    { tool_calls: [{ id: 'c', type: 'function', function: { name: 'n', arguments: '{}' } }] },
    { function_call: { name: 'n', arguments: '{}' } },
    { refusal: 'No.' },
    { audio: { id: 'a' } },
    {},
  ]) {
    const rest = { ...none, ...member };
    const write = (...messages: readonly object[]) => JSON.stringify({ messages: [user, ...messages] });
    const { text: edited } = remove(
      { dialect: 'chat', ...MOVED },
      write({ role: 'assistant', content: [thought], ...rest }, user),
    );
    const isEmpty = Object.keys(member).length === 0;
    const left = isEmpty ? write(user) : write({ role: 'assistant', content: null, ...rest }, user);
    assert.equal(edited, left);
  }
});

test('a conversation of which nothing is left is rejected with the name of its member', () => {
  const content = [{ type: 'thinking', thinking: 'T', signature: 'c2ln' }];
  const body = JSON.stringify({ messages: [{ role: 'assistant', content }] });
  assert.throws(
    () => remove({ dialect: 'messages', ...MOVED }, body),
    (error) =>
      error instanceof Fault && error.code === 'unsupported_parameter' && error.detail.param === 'messages',
  );
});

test('bodies without a conversation of parts stay as they are', () => {
  for (const body of [
    '{"messages":"x"}',
    '{"model":"m"}',
    '{"messages":[]}',
    '{"messages":[1,null,"x",{"content":[]}]}',
  ])
    assert.equal(remove({ dialect: 'messages', ...MOVED }, body).text, body);
});

test('the search finds packed and empty seals in any notation, and none in Chat', () => {
  for (const body of ['{"signature":""}', '{"signature" :\n\t""}', '{"data":"floe1.gemini.a.s.x"}'])
    assert.deepEqual(
      [mayContainFloeSeals('messages', Buffer.from(body)), mayContainFloeSeals('chat', Buffer.from(body))],
      [true, false],
      body,
    );
  assert.ok(!mayContainFloeSeals('messages', Buffer.from('{"signature":"c2ln","text":"\\"signature\\""}')));
});

test('a conversation with many parts is edited', () => {
  const content = Array.from({ length: 200_000 }, (_, index) =>
    index % 2 === 0 ? { type: 'redacted_thinking', data: 'x' } : { type: 'text', text: 't' },
  );
  const { text: edited } = remove(
    { dialect: 'messages', ...MOVED },
    JSON.stringify({ messages: [{ content }] }),
  );
  assert.equal(edited.match(/"text":"t"/g)?.length, 100_000);
  assert.ok(!edited.includes('redacted'));
});
