import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createExtraHeadersField, createHeaderSecretField, createSecretField } from './fields.ts';
import { ChannelSchema } from './monitoring.ts';

const BREAKS = ['\r', '\n', '\0', '\x1b', '\x7f'];
const ABOVE_LATIN_1 = ['\u0100', '\uffff', '😀'];

test('no value that becomes a header can hold a line break, a control character or a character above U+00FF', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom(...BREAKS, ...ABOVE_LATIN_1),
      fc.string(),
      (before, control, after) => {
        const text = before + control + after;
        assert.equal(createHeaderSecretField().safeParse(text).success, false);
        assert.equal(createExtraHeadersField().safeParse({ 'x-any': text }).success, false);
      },
    ),
  );
  assert.equal(createHeaderSecretField().safeParse('sk-ab/c+d==').success, true);
  assert.equal(createExtraHeadersField().safeParse({ 'x-any': 'two words\tand é' }).success, true);
});

test('a secret that Floe does not send in a header can hold any character except line breaks and control characters', () => {
  for (const control of BREAKS) assert.equal(createSecretField().safeParse(`a${control}b`).success, false);
  for (const text of ['пароль', ...ABOVE_LATIN_1])
    assert.equal(createSecretField().safeParse(text).success, true);
  const channels = [
    { name: 'hook', kind: 'webhook', url: 'https://a.test', secret: 'пароль' },
    { name: 'page', kind: 'pagerduty', routing_key: 'пароль' },
    { name: 'chat', kind: 'telegram', bot_token: 'пароль', chat_id: '1' },
  ];
  for (const channel of channels) assert.equal(ChannelSchema.safeParse(channel).success, true, channel.kind);
  const ntfy = { name: 'push', kind: 'ntfy', url: 'https://a.test/topic' };
  assert.equal(ChannelSchema.safeParse({ ...ntfy, token: 'tk_a' }).success, true);
  assert.equal(ChannelSchema.safeParse({ ...ntfy, token: 'пароль' }).success, false);
});

test('headers that frame or address a request are not configurable, in any spelling', () => {
  for (const name of ['host', 'Host', 'HOST', 'content-length', 'Transfer-Encoding', 'connection', 'expect'])
    assert.equal(createExtraHeadersField().safeParse({ [name]: 'x' }).success, false, name);
  assert.equal(createExtraHeadersField().safeParse({ 'x-host': 'x' }).success, true);
});
