import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelayConfig } from './compile-relay-config.ts';
import { evaluateRelayEvent } from './evaluate-event.ts';
import { loadShellParser } from './shell/shell-parser.ts';

// Every field of a rule on its own: one event that it is about, one that differs in this field only.

const grammar = await loadShellParser();

interface Asked {
  readonly event: Readonly<Record<string, unknown>>;
  readonly key?: string;
  readonly team?: string;
  readonly owner?: string;
  readonly at?: string;
}

const shell = (command: string): Asked => ({ event: { event: 'shell', cwd: '/srv', shell: { command } } });
const tool = (given: Readonly<Record<string, unknown>>): Asked => ({
  event: { event: 'tool', tool: { name: 'get', ...given } },
});
const prompt = (text: string): Asked => ({ event: { event: 'prompt', prompt: { text } } });
const file = (path: string): Asked => ({ event: { event: 'file_read', cwd: '/srv', file: { path } } });
const by = (more: Readonly<Record<string, unknown>>): Asked => ({
  event: { ...shell('rm x').event, ...more },
});
const at = (moment: string): Asked => ({ ...shell('rm x'), at: moment });

const MATCH: readonly (readonly [string, unknown, Asked, Asked])[] = [
  ['command', 'rm', shell('rm x'), shell('cat x')],
  ['subcommand', 'push', shell('git push'), shell('git pull')],
  ['any_flag', ['-f', '--force'], shell('rm -rf x'), shell('rm -r x')],
  ['all_flags', ['-r', '-f'], shell('rm -rf x'), shell('rm -r x')],
  ['args', 'secret*', shell('cat secrets'), shell('cat notes')],
  ['does', 'raises_privileges', shell('sudo -v'), shell('cat x')],
  [
    'server_url',
    'https://a.example/*',
    tool({ url: 'https://a.example/x' }),
    tool({ url: 'https://b.example/x' }),
  ],
  ['server_command', 'npx a*', tool({ command: 'npx abc' }), tool({ command: 'npx bcd' })],
  ['tool', 'delete_*', tool({ name: 'delete_all' }), tool({ name: 'list_all' })],
  [
    'arguments',
    { 'repo.owner': 'acme' },
    tool({ arguments: { repo: { owner: 'acme' } } }),
    tool({ arguments: { repo: { owner: 'me' } } }),
  ],
  ['path', '~/.ssh/*', file('~/.ssh/id'), file('/srv/id')],
  ['text', 'pass(word|phrase)', prompt('my passphrase'), prompt('my phrase')],
];

const WHO: readonly (readonly [string, unknown, Asked, Asked])[] = [
  ['keys', 'ci-*', { ...shell('rm x'), key: 'ci-1' }, { ...shell('rm x'), key: 'laptop' }],
  ['teams', 'core', { ...shell('rm x'), team: 'core' }, { ...shell('rm x'), team: 'web' }],
  ['owners', 'ann', { ...shell('rm x'), owner: 'ann' }, { ...shell('rm x'), owner: 'bob' }],
  ['agents', 'cursor', by({ agent: { name: 'cursor' } }), by({ agent: { name: 'codex' } })],
  [
    'repositories',
    'github.com/acme/*',
    by({ repository: { remote: 'https://github.com/acme/a.git' } }),
    by({ repository: { remote: 'https://github.com/me/a.git' } }),
  ],
  ['branches', 'main', by({ repository: { branch: 'main' } }), by({ repository: { branch: 'topic' } })],
];

// 2026-01-05 is a Monday.
const SCHEDULE: readonly (readonly [string, unknown, Asked, Asked])[] = [
  ['days', { days: ['mon'] }, at('2026-01-05T12:00:00Z'), at('2026-01-06T12:00:00Z')],
  ['from', { from: '09:00' }, at('2026-01-05T09:00:00Z'), at('2026-01-05T08:59:00Z')],
  ['to', { to: '17:00' }, at('2026-01-05T16:59:00Z'), at('2026-01-05T17:00:00Z')],
  [
    'timezone',
    { from: '09:00', to: '10:00', timezone: 'Asia/Tokyo' },
    at('2026-01-05T00:30:00Z'),
    at('2026-01-05T09:30:00Z'),
  ],
];

const ON = ['shell', 'tool', 'prompt', 'file_read'];
const ANYTHING = { when: 'true' };
const NAMES = ['rm', 'git', 'cat', 'sudo'];
/** An exception of a command or a file is one from a rule about commands or files. */
const ABOUT: Readonly<Record<string, object>> = {
  shell: { match: { command: NAMES } },
  file_read: { match: { path: ['~/.ssh/*', '/srv/*'] } },
};

function verdict(rule: Readonly<Record<string, unknown>>, asked: Asked) {
  const { key = 'any', team = null, owner = null, at: moment = '2026-01-05T12:00:00Z' } = asked;
  const config = {
    mode: 'enforce',
    self_tamper: 'off',
    rules: [{ name: 'it', on: ON, decision: 'deny', ...rule }],
  };
  return evaluateRelayEvent(relayEvent.parse(asked.event), {
    relay: compileRelayConfig(RelaySchema.parse(config)),
    grammar,
    identity: { key, team, owner },
    nowMs: Date.parse(moment),
  });
}

const decisions = (rule: Readonly<Record<string, unknown>>, ...asked: Asked[]) =>
  asked.map((one) => verdict(rule, one).decision);

test('every field of match decides by itself whether a rule or an exception applies', () => {
  for (const [field, value, fits, differs] of MATCH) {
    const match = { [field]: value };
    assert.deepEqual(decisions({ match }, fits, differs), ['deny', 'abstain'], field);
    const about = ABOUT[String(fits.event['event'])] ?? ANYTHING;
    const excepted = { ...about, except: [{ reason: 'known', match }] };
    assert.deepEqual(decisions(excepted, fits, differs), ['abstain', 'deny'], `except ${field}`);
  }
});

test('text matches the strings of tool arguments at any depth, also where JSON escapes them', () => {
  const call = (value: unknown): Asked => ({
    event: { event: 'tool', tool: { name: 'query', arguments: { list: [{ sql: value }] } } },
  });
  const match = { text: ['(?i)drop\\s+table', 'say "x"', '"sql":1'] };
  for (const value of ['DROP\nTABLE a', 'drop\ttable a', 'say "x"', 1])
    assert.deepEqual(decisions({ match }, call(value)), ['deny'], String(value));
  assert.deepEqual(decisions({ match }, call('drop'), call('x')), ['abstain', 'abstain']);
});

test('arguments that are nested thousands of levels deep are matched', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}{"owner":"acme"}${']'.repeat(100_000)}`);
  const call: Asked = { event: { event: 'tool', tool: { name: 'get', arguments: { repo: deep } } } };
  assert.deepEqual(decisions({ match: { arguments: { 'repo.owner': 'acme' } } }, call), ['deny']);
});

test('an argument neither hides another one of the same path nor permits it', () => {
  const decide = (args: object, decision: string, except: readonly object[] = []) =>
    verdict(
      { on: 'tool', match: { arguments: { 'repo.owner': 'acme', paths: '/safe/*' } }, decision, except },
      tool({ arguments: { paths: ['/safe/a'], ...args } }),
    ).decision;
  const decoy = { 'repo.owner': 'x', repo: { owner: 'acme' } };
  assert.equal(decide(decoy, 'deny'), 'deny');
  assert.equal(decide({ 'repo.owner': 'acme', repo: { owner: 'evil' } }, 'allow'), 'abstain');
  assert.equal(decide({ repo: { owner: 'acme' } }, 'allow'), 'allow');
  assert.equal(decide({ repo: { owner: 'acme' }, paths: ['/safe/a', '/etc/passwd'] }, 'allow'), 'abstain');
  const except = [{ reason: 'x', match: { arguments: { 'repo.owner': 'x' } } }];
  assert.equal(decide(decoy, 'deny', except), 'deny');
  assert.equal(decide({ 'a.b': 1, repo: { owner: 'acme' } }, 'deny', except), 'deny');
});

test('a pattern for the URL of a connector matches every way to write that URL', () => {
  const called = (url: string) => tool({ url });
  for (const server_url of ['https://mcp.example.com/*', 'https://MCP.example.com:443/*'])
    for (const url of ['', '/', '/sse', ':443/sse', './sse', '?x=1'])
      assert.deepEqual(
        decisions({ match: { server_url } }, called(`https://mcp.example.com${url}`)),
        ['deny'],
        `${server_url} ${url}`,
      );
  for (const url of [
    'https://mcp.example.com.evil.example/',
    'https://evil.example/?https://mcp.example.com/',
  ])
    assert.deepEqual(decisions({ match: { server_url: 'https://mcp.example.com/*' } }, called(url)), [
      'abstain',
    ]);
});

test('a search with a name filter matches rules for names that the filter spells, not every hidden name', () => {
  const match = { path: ['.env*', '**/.env.*'] };
  const asked = (...commands: string[]) =>
    decisions({ on: ['file_read', 'shell'], match }, ...commands.map(shell));
  for (const filter of ['*.ts', '*.{ts,tsx}', '*_test.go', 'src/**', '**/*.md'])
    assert.deepEqual(
      asked(`grep -r --include='${filter}' x .`, `rg -g '${filter}' x`),
      ['abstain', 'abstain'],
      filter,
    );
  for (const filter of ['.env', '.e*', '*env', '?env', '*.env*', '**/.env'])
    assert.deepEqual(asked(`grep -r --include='${filter}' x .`), ['deny'], filter);
});

test('git restore --staged changes only the index', () => {
  const rule = { on: ['file_write', 'shell'], match: { path: '.env' } };
  for (const [command, decision] of [
    ['git restore --staged .env', 'abstain'],
    ['git restore -S .env', 'abstain'],
    ['git restore .env', 'deny'],
    ['git restore --staged --worktree .env', 'deny'],
    ['git restore -SW .env', 'deny'],
  ] as const)
    assert.deepEqual(decisions(rule, shell(command)), [decision], command);
});

test('an exception with a tool and a text applies only if both match', () => {
  const call = (text: string): Asked => ({
    event: { event: 'tool', tool: { name: 'query', arguments: { text } } },
  });
  const except = [{ reason: 'known', match: { tool: 'query', text: ['safe'] } }];
  assert.deepEqual(decisions({ ...ANYTHING, except }, call('safe'), call('other')), ['abstain', 'deny']);
});

test('every field of who decides by itself whose events a rule or an exception is about', () => {
  for (const [field, value, fits, differs] of WHO) {
    const who = { [field]: value };
    assert.deepEqual(decisions({ ...ANYTHING, who }, fits, differs), ['deny', 'abstain'], field);
    const excepted = { ...ANYTHING, except: [{ reason: 'known', who }] };
    assert.deepEqual(decisions(excepted, fits, differs), ['abstain', 'deny'], `except ${field}`);
  }
});

test('every field of schedule decides by itself when a rule holds', () => {
  for (const [field, schedule, within, outside] of SCHEDULE)
    assert.deepEqual(decisions({ ...ANYTHING, schedule }, within, outside), ['deny', 'abstain'], field);
});

test('an exception ends at its until', () => {
  const rule = {
    match: { command: NAMES },
    except: [{ reason: 'r', until: '2026-01-05T10:00:00Z', match: { command: 'rm' } }],
  };
  const asked = [at('2026-01-05T09:59:59Z'), at('2026-01-05T10:00:00Z')];
  assert.deepEqual(decisions(rule, ...asked), ['abstain', 'deny']);
});

test('on, when, detect, decision, mode and on_error each change what a rule says', () => {
  assert.deepEqual(decisions({ ...ANYTHING, on: 'prompt' }, prompt('a'), shell('ls')), ['deny', 'abstain']);
  assert.deepEqual(decisions({ when: 'false' }, shell('ls')), ['abstain']);
  const card = prompt('pay 4111 1111 1111 1111');
  assert.deepEqual(decisions({ detect: { pii: ['credit_card'] } }, card, prompt('pay')), ['deny', 'abstain']);
  assert.deepEqual(decisions({ detect: { pii: ['email'] } }, card), ['abstain']);
  const secret = prompt(`AWS_KEY=AKIA${'QWERTYUIOPASDF23'}`);
  assert.deepEqual(decisions({ detect: { secrets: true } }, secret, card), ['deny', 'abstain']);
  assert.deepEqual(decisions({ ...ANYTHING, decision: 'ask' }, shell('ls')), ['ask']);
  assert.deepEqual(decisions({ ...ANYTHING, mode: 'observe' }, shell('ls')), ['abstain']);
  const onErrors = ['open', 'closed'].map(
    (on_error) => verdict({ ...ANYTHING, on_error }, shell('ls')).onError,
  );
  assert.deepEqual(onErrors, ['open', 'closed']);
});

test('the message of a rule is told to the person and to the agent, each their own where both are given', () => {
  const told = (message: unknown) => {
    const { userMessage, agentMessage } = verdict({ ...ANYTHING, message }, shell('ls'));
    return [userMessage, agentMessage];
  };
  assert.deepEqual(told('no'), ['no (rule "it")', 'no (rule "it")']);
  assert.deepEqual(told({ user: 'stop', agent: 'use b' }), ['stop (rule "it")', 'use b (rule "it")']);
});
