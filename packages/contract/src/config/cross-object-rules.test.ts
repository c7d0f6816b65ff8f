import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../json.ts';
import { findCrossObjectIssues } from './cross-object-rules.ts';
import { findNearestWord } from './nearest-word.ts';

const KEY = `eis_${'k'.repeat(32)}`;

/** `path: message` of every issue, paths joined by dots. */
function issues(config: Json): string[] {
  return findCrossObjectIssues(config).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

function inOrg(sections: { [section: string]: Json }): string[] {
  return issues({ orgs: [{ id: 'acme', ...sections }] }).map((line) => line.replace('orgs.0.', ''));
}

test('ids and names are unique in their list', () => {
  assert.deepEqual(issues({ orgs: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] }), [
    'orgs.2.id: must be unique, but is already the id of orgs[0]',
  ]);
  for (const [section, field] of Object.entries({
    teams: 'id',
    keys: 'name',
    providers: 'id',
    routes: 'model',
    limits: 'name',
    budgets: 'name',
    policies: 'name',
    monitors: 'id',
    channels: 'name',
  }))
    assert.deepEqual(inOrg({ [section]: [{ [field]: 'x' }, { [field]: 'x' }] }), [
      `${section}.1.${field}: must be unique, but is already the ${field} of ${section}[0]`,
    ]);
});

test('one key value in two orgs is refused without showing it, with or without the sk- prefix', () => {
  const found = issues({
    orgs: [
      { id: 'a', keys: [{ name: 'x', key: KEY }] },
      { id: 'b', keys: [{ name: 'x', key: `sk-${KEY}` }] },
    ],
  });
  assert.deepEqual(found, ['orgs.1.keys.0.key: must be unique, but has the same value as orgs[0].keys[0]']);
});

test('what is named exists, and a near name is offered', () => {
  const base = {
    teams: [{ id: 'platform' }],
    keys: [{ name: 'ci', team: 'platfrom' }],
    providers: [{ id: 'openai' }],
    channels: [{ name: 'ops', kind: 'webhook' }],
  };
  assert.deepEqual(inOrg(base), ['keys.0.team: this team does not exist; did you mean "platform"?']);
  assert.deepEqual(
    inOrg({
      ...base,
      keys: [{ name: 'ci' }],
      limits: [{ scope: 'key', key: KEY }],
      routes: [{ model: 'm', targets: ['opnai/x', { model: 'openai/x' }, { model: 'far/x' }] }],
      passthrough: { a: 'opena', b: ['openai', { provider: 'zzz' }] },
      monitors: [{ id: 'job', channels: ['ops', 'opps'] }],
      boards: [{ slug: 's', groups: [{ monitors: ['job', 'jib'] }] }],
    }),
    [
      'limits.0.key: this key does not exist',
      'routes.0.targets.0: this provider does not exist; did you mean "openai"?',
      'routes.0.targets.2.model: this provider does not exist',
      'passthrough.a: this provider does not exist; did you mean "openai"?',
      'passthrough.b.1.provider: this provider does not exist',
      'monitors.0.channels.1: this channel does not exist; did you mean "ops"?',
      'boards.0.groups.0.monitors.1: this monitor does not exist; did you mean "job"?',
    ],
  );
});

test('groups of an issuer map into the only org, or into a named one', () => {
  const auth = (entry: Json) => ({ oidc: [{ name: 'corp', map: [entry] }] });
  const acme = { id: 'acme', teams: [{ id: 'sre' }] };
  assert.deepEqual(issues({ auth: auth({ team: 'sre' }), orgs: [acme] }), []);
  assert.deepEqual(issues({ auth: auth({ team: 'sre' }), orgs: [acme, { id: 'b' }] }), [
    'auth.oidc.0.map.0: must have the field "org", because the file has several organizations',
  ]);
  assert.deepEqual(issues({ auth: auth({ org: 'b', team: 'sre' }), orgs: [acme, { id: 'b' }] }), [
    'auth.oidc.0.map.0.team: this team does not exist',
  ]);
  assert.deepEqual(issues({ auth: auth({ org: 'acmee' }), orgs: [acme] }), [
    'auth.oidc.0.map.0.org: this organization does not exist; did you mean "acme"?',
  ]);
});

test('two listeners do not share a port, and mail channels need a mail server', () => {
  assert.deepEqual(issues({ server: { listeners: [{ port: 3563 }, { port: 80 }, { port: 80 }] } }), [
    'server.listeners.0.port: must be unique on its address, but server.port uses the same address and port',
    'server.listeners.2.port: must be unique on its address, but server.listeners[1] uses the same address and port',
  ]);
  const apart = [{ port: 80 }, { port: 80, host: '10.0.0.1' }, { port: 0 }, { port: 0 }];
  assert.deepEqual(issues({ server: { listeners: apart } }), []);
  assert.deepEqual(inOrg({ channels: [{ name: 'm', kind: 'email' }] }), [
    'channels.0.kind: email channels require a mail server; set smtp.url. Example: smtps://user:password@mail.example.com:465',
  ]);
});

test('a mail server URL without a value is reported at the URL, where a missing variable is reported too', () => {
  const orgs = [{ id: 'acme', channels: [{ kind: 'email' }] }];
  const message =
    'email channels require a mail server; set smtp.url. Example: smtps://user:password@mail.example.com:465';
  assert.deepEqual(issues({ orgs }), [`orgs.0.channels.0.kind: ${message}`]);
  assert.deepEqual(issues({ orgs, smtp: { url: '' } }), [`smtp.url: ${message}`]);
});

test('a tree of any shape is read without an error', () => {
  const shapes = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<Json>('a/b', 'x', 1, true, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'orgs',
          'id',
          'keys',
          'routes',
          'targets',
          'passthrough',
          'a',
          'boards',
          'groups',
          'auth',
        ),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  })).value;
  fc.assert(
    fc.property(shapes, (tree) => {
      for (const { path } of findCrossObjectIssues({ orgs: [tree], auth: tree, server: tree }))
        assert.ok(path.length > 0);
    }),
  );
});

test('the nearest word is one slip away, and an unrelated one is no suggestion', () => {
  const known = ['port', 'host', 'base_url', 'expected_interval_minutes'];
  assert.equal(findNearestWord('prot', known), 'port');
  assert.equal(findNearestWord('baseUrl', known), 'base_url');
  assert.equal(findNearestWord('expected_interval_minute', known), 'expected_interval_minutes');
  assert.equal(findNearestWord('zebra', known), undefined);
  assert.equal(findNearestWord('x'.repeat(10_000), known), undefined);
});
