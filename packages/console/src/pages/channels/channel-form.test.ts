import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeStoredSecret,
  NEW_CHANNEL_FORM,
  toChannelBody,
  toChannelFormValues,
  toChannelTestBody,
  toChannelUpdateBody,
} from './channel-form.ts';

test('a secret that is left empty is not sent, so that it stays what it was', () => {
  const body = toChannelUpdateBody({ ...NEW_CHANNEL_FORM, name: 'ops', values: { url: ' ' } });
  assert.deepEqual(
    ['url' in body, 'secret' in body, 'kind' in body, body['name']],
    [false, false, false, 'ops'],
  );
});

test('an optional secret is removed if the user asks for it, and a test of the form does without it', () => {
  const form = {
    ...NEW_CHANNEL_FORM,
    name: 'ops',
    values: { url: 'https://a.example', secret: 'typed before' },
  };
  const removing = { ...form, removedSecrets: ['secret', 'token'] };
  const { secret, token } = toChannelUpdateBody(removing);
  assert.deepEqual([secret, token], [null, undefined]);
  assert.equal('secret' in toChannelTestBody(removing), false);
  assert.equal(toChannelUpdateBody(form)['secret'], 'typed before');
});

test('only fields of the chosen kind are sent, recipients as a list', () => {
  const body = toChannelBody({
    ...NEW_CHANNEL_FORM,
    name: 'mail',
    kind: 'email',
    values: { to: 'a@b.c, d@e.f,', url: 'x' },
  });
  assert.deepEqual([body['to'], 'url' in body], [['a@b.c', 'd@e.f'], false]);
});

test('every event chosen means all there will be, and some mean just these', () => {
  assert.equal(toChannelBody({ ...NEW_CHANNEL_FORM, name: 'a' })['events'], null);
  assert.deepEqual(toChannelBody({ ...NEW_CHANNEL_FORM, name: 'a', events: ['budget'] })['events'], [
    'budget',
  ]);
});

test('a draft can be tested before it has a name', () => {
  const body = toChannelTestBody({ ...NEW_CHANNEL_FORM, values: { url: 'https://a.example' } });
  assert.deepEqual([body['name'], body['url'], 'enabled' in body], ['draft', 'https://a.example', false]);
});

test('what is shown of a channel comes back as the same channel', () => {
  const form = toChannelFormValues({
    id: 'chn_1',
    name: 'mail',
    kind: 'email',
    enabled: true,
    events: null,
    tags: ['db', 'etl'],
    realert_minutes: 60,
    to: ['a@b.c'],
    chat_id: null,
    base_url: null,
    url_origin: null,
    failures: 0,
    backoff_until: null,
    source: { kind: 'console', file: null, line: null },
    created_at: '2026-11-01T00:00:00.000Z',
    updated_at: '2026-11-01T00:00:00.000Z',
    updated_by: 'mem_1',
  });
  assert.deepEqual(toChannelBody(form), {
    name: 'mail',
    kind: 'email',
    enabled: true,
    events: null,
    tags: ['db', 'etl'],
    realert_minutes: 60,
    to: ['a@b.c'],
  });
});

test('a tag that contains a comma stays whole when another tag is added', () => {
  const form = { ...NEW_CHANNEL_FORM, name: 'ops', tags: 'Acme, Inc., db' };
  assert.deepEqual(toChannelUpdateBody(form, { tags: ['Acme, Inc.'] })['tags'], ['Acme, Inc.', 'db']);
});

test('what is no secret is sent when it is emptied, and what is no number is left for the server to refuse', () => {
  const mail = { ...NEW_CHANNEL_FORM, name: 'mail', kind: 'email', values: { to: '' } } as const;
  assert.deepEqual(toChannelUpdateBody(mail)['to'], []);
  assert.equal(toChannelBody({ ...NEW_CHANNEL_FORM, realert: 'ten' })['realert_minutes'], 'ten');
  assert.equal(toChannelBody({ ...NEW_CHANNEL_FORM, realert: '' })['realert_minutes'], 0);
});

test('an optional secret is not shown as stored, because it may not be set', () => {
  const optional = describeStoredSecret({ name: 'secret', optional: true }, 'https://hooks.example.com');
  assert.equal(optional.placeholder, 'Not shown');
  assert.match(optional.hint, /current value, if there is one/);
  const url = describeStoredSecret({ name: 'url' }, 'https://hooks.example.com');
  assert.equal(url.placeholder, 'https://hooks.example.com/… (stored)');
});
