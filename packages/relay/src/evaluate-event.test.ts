import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelayConfig } from './compile-relay-config.ts';
import { evaluateRelayEvent, evaluateRelayEventInSteps } from './evaluate-event.ts';
import { loadShellParser } from './shell/shell-parser.ts';

const grammar = await loadShellParser();
const event = relayEvent.parse({ event: 'shell', shell: { command: 'rm a; rm b; ls' } });
const rules = [
  { name: 'rm', on: 'shell', match: { command: 'rm' }, decision: 'deny' },
  { name: 'rm-b', on: 'shell', match: { command: 'rm', args: 'b' }, decision: 'ask' },
  { name: 'ls', on: 'shell', when: "command.name == 'ls'", decision: 'ask' },
];
const input = {
  relay: compileRelayConfig(RelaySchema.parse({ mode: 'enforce', self_tamper: 'off', rules })),
  grammar,
  identity: { key: 'k', team: null, owner: null },
  nowMs: 0,
};

test('an evaluation in steps ends a step after each rule, and decides the same', async () => {
  let steps = 0;
  const verdict = await evaluateRelayEventInSteps(event, input, async () => {
    steps += 1;
  });
  assert.equal(steps, rules.length);
  assert.deepEqual(verdict, evaluateRelayEvent(event, input));
  assert.deepEqual(
    verdict.hits.map(({ rule, place }) => [rule, place?.start]),
    [
      ['rm', 0],
      ['rm-b', 6],
      ['ls', 12],
    ],
  );
});

test('the compilation of regular expressions from an event counts, and that of literal ones does not', () => {
  const decide = (when: string, paths: readonly string[]) => {
    const prompt = { text: 'x', attachments: paths.map((path) => ({ path })) };
    const relay = compileRelayConfig(
      RelaySchema.parse({
        mode: 'enforce',
        self_tamper: 'off',
        rules: [{ name: 'computed', on: 'prompt', when, decision: 'deny' }],
      }),
    );
    return evaluateRelayEvent(relayEvent.parse({ event: 'prompt', prompt }), { ...input, relay });
  };
  const when = 'prompt.attachments.exists(a, "x".matches(a))';
  const paths = Array.from({ length: 400 }, (_, at) => `y${at}(a{90})`);
  assert.equal(decide(when, paths.slice(0, 10)).decision, 'abstain');
  const exceeded = decide(when, paths);
  assert.equal(exceeded.decision, 'deny');
  assert.match(exceeded.hit?.reason ?? '', /more than 1000000 steps/);
  const literal = 'prompt.attachments.exists(a, a.matches("^(z{900})$"))';
  assert.equal(decide(literal, paths).decision, 'abstain');
});

/** The decision and the rule for an event, and the decision if every rule were enforced. */
function decideWith(given: object, modes: readonly (readonly [name: string, mode: string, match: object])[]) {
  const event = relayEvent.parse(given);
  const rules = modes.map(([name, mode, match]) => ({
    name,
    mode,
    on: event.event,
    match,
    decision: 'allow',
  }));
  const relay = compileRelayConfig(RelaySchema.parse({ mode: 'enforce', self_tamper: 'off', rules }));
  const { decision, would, hit } = evaluateRelayEvent(event, { ...input, relay });
  return [decision, would, hit?.rule ?? null];
}

test('rules in another mode do not complete an enforced permission', () => {
  const shell = { event: 'shell', shell: { command: 'git status; curl http://x' } };
  const git = ['git-ok', 'enforce', { command: 'git' }] as const;
  const draft = ['draft', 'observe', { command: 'curl' }] as const;
  assert.deepEqual(decideWith(shell, [git, draft]), ['abstain', 'allow', 'draft']);
  assert.deepEqual(decideWith(shell, [git, ['curl', 'enforce', { command: 'curl' }]]), [
    'allow',
    'allow',
    'git-ok',
  ]);
});

test('a possible match of an enforced permission does not enforce another one', () => {
  const tool = { name: 'read_file', server: 'docs', arguments: {} };
  const trusted = ['trusted', 'enforce', { tool: 'read_*', server_url: 'https://docs.example/*' }] as const;
  const draft = ['draft', 'observe', { tool: 'read_*' }] as const;
  assert.deepEqual(decideWith({ event: 'tool', tool }, [trusted, draft]), ['abstain', 'allow', 'draft']);
  assert.deepEqual(decideWith({ event: 'tool', tool }, [draft, ['all', 'enforce', { tool: 'read_*' }]]), [
    'allow',
    'allow',
    'all',
  ]);
});

test('an exception for a program name does not cover a program at a path', () => {
  const except = [{ match: { command: 'git' }, reason: 'allowed' }];
  const match = { command: ['git', 'hg'] };
  const rules = [{ name: 'no', on: 'shell', match, except, decision: 'deny' }];
  const relay = compileRelayConfig(RelaySchema.parse({ mode: 'enforce', rules }));
  for (const [command, decision] of [
    ['git status', 'abstain'],
    ['/usr/bin/git status', 'deny'],
    ['hg status', 'deny'],
  ] as const) {
    const event = relayEvent.parse({ event: 'shell', shell: { command } });
    assert.equal(evaluateRelayEvent(event, { ...input, relay }).decision, decision, command);
  }
});

test('a permission for a program applies to neither another program nor a changed environment', () => {
  const decide = (command: string, name = 'git', dialect = 'bash') =>
    decideWith({ event: 'shell', shell: { command, dialect } }, [
      ['ok', 'enforce', { command: name, subcommand: 'status' }],
    ])[0];
  for (const command of [
    './git status',
    '/tmp/evil/git status',
    'PATH=/tmp/evil git status',
    'export PATH=/tmp/x; git status',
    'PATH=/tmp/x; git status',
    'declare -x PATH=/tmp/x; git status',
    'for PATH in /tmp/x; do git status; done',
    'select PATH in /tmp/x; do git status; done',
    '(( PATH=1 )); git status',
    "export 'PATH=x'; git status",
    'GIT_DIR=/tmp/x git status',
  ])
    assert.equal(decide(command), 'abstain', command);
  const builtins = ['let PATH=1', 'printf -v PATH x', 'read PATH <<< x', 'mapfile PATH <<< x'];
  for (const builtin of [...builtins, 'builtin declare -x PATH=x']) {
    const shell = { command: `${builtin}; git status` };
    const rules = [['ok', 'enforce', { command: '*' }]] as const;
    assert.equal(decideWith({ event: 'shell', shell }, rules)[0], 'abstain', builtin);
  }
  assert.equal(decide('.\\git status', 'git', 'powershell'), 'abstain');
  assert.equal(decide('git status', 'git', 'powershell'), 'allow');
  assert.equal(decide('LC_ALL=C git status'), 'allow');
  assert.equal(decide('/usr/bin/git status', '/usr/bin/*'), 'allow');
  assert.equal(decide('./git status', '*'), 'allow');
});
