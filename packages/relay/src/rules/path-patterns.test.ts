import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelayConfig } from '../compile-relay-config.ts';
import { evaluateRelayEvent } from '../evaluate-event.ts';
import { loadShellParser } from '../shell/shell-parser.ts';

const grammar = await loadShellParser();
const identity = { key: 'ci', team: null, owner: null };

/** Commands of these that a rule on `path` denies, in the working directory `/srv/app`. */
function denied(path: string, commands: readonly string[]): string[] {
  const rule = { name: 'rule', on: ['shell', 'file_write'], match: { path: [path] }, decision: 'deny' };
  const relay = compileRelayConfig(RelaySchema.parse({ mode: 'enforce', self_tamper: 'off', rules: [rule] }));
  return commands.filter((command) => {
    const event = relayEvent.parse({ event: 'shell', cwd: '/srv/app', shell: { command } });
    return evaluateRelayEvent(event, { relay, grammar, identity, nowMs: 0 }).decision === 'deny';
  });
}

const ROOT = [
  'rm -rf /',
  'rm -rf //',
  'rm -rf /.',
  'rm -rf /*',
  'cd / && rm -rf .',
  'cd / && rm -rf *',
  'rm -rf ../../*',
];
const HOME = ['rm -rf ~', 'rm -rf ~/', 'rm -rf ~/*', 'rm -rf $HOME', 'rm -rf "$HOME"/*'];
const APP = ['rm -rf .', 'rm -rf *', 'rm -rf ./*', 'rm -rf ../app', 'rm -rf /srv/app/'];
const BELOW = ['rm -rf /etc/nginx', 'rm -rf x', 'rm -rf /tmp/x', 'rm -rf a*'];

test('a rule on the root matches every spelling of it and of all its entries, and nothing below it', () => {
  assert.deepEqual(denied('/', [...ROOT, ...HOME, ...APP, ...BELOW]), ROOT);
});

test('a rule on a home directory matches it and all its entries, however they are named', () => {
  assert.deepEqual(denied('~', [...ROOT, ...HOME, ...APP, ...BELOW]), HOME);
  assert.deepEqual(denied('~/*', [...ROOT, ...HOME, ...APP, ...BELOW]), HOME);
});

test('a rule on a directory matches a wildcard for all its entries, and one for some of them does not', () => {
  assert.deepEqual(denied('/srv/app', [...HOME, ...APP, ...BELOW]), APP);
  assert.deepEqual(denied('/etc/*', ['rm -rf /etc', 'rm -rf /etc/*', ...BELOW]), [
    'rm -rf /etc',
    'rm -rf /etc/*',
    'rm -rf /etc/nginx',
  ]);
});

test('a name that no one knows before it runs is no match of its own', () => {
  for (const path of ['/', '~', '/srv/app'])
    assert.deepEqual(denied(path, ['rm -rf "$DIR"', 'rm -rf "$DIR"/']), []);
});
