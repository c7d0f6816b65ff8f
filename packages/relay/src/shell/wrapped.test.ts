import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import fc from 'fast-check';
import { compileRelayConfig } from '../compile-relay-config.ts';
import { evaluateRelayEvent } from '../evaluate-event.ts';
import { analyzeShellCode } from './analyze-shell-code.ts';
import { loadShellParser } from './shell-parser.ts';

const grammar = await loadShellParser();
const relay = compileRelayConfig(
  RelaySchema.parse({
    mode: 'enforce',
    rules: [
      {
        name: 'no-wipe',
        on: 'shell',
        match: { command: 'wipe', all_flags: ['-r', '--now'] },
        decision: 'deny',
      },
      { name: 'git-is-fine', on: 'shell', match: { command: 'git' }, decision: 'allow' },
    ],
  }),
);
const RUNS = process.env['FLOE_TEST_FULL'] ? 5_000 : 250;

function decided(command: string) {
  const event = relayEvent.parse({ event: 'shell', shell: { command } });
  return evaluateRelayEvent(event, {
    relay,
    grammar,
    identity: { key: '', team: null, owner: null },
    nowMs: 0,
  });
}

/** A word as a shell takes it back, spelled in one of many ways. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const WRAPPERS: readonly ((command: string) => string)[] = [
  (command) => `sudo ${command}`,
  (command) => `sudo -u root -E -- ${command}`,
  (command) => `doas ${command}`,
  (command) => `env A=1 B='2 3' ${command}`,
  (command) => `env -i ${command}`,
  (command) => `nohup ${command}`,
  (command) => `nice -n 5 ${command}`,
  (command) => `timeout -k 5 10 ${command}`,
  (command) => `setsid -w ${command}`,
  (command) => `stdbuf -oL ${command}`,
  (command) => `command ${command}`,
  (command) => `exec ${command}`,
  (command) => `time -p ${command}`,
  (command) => `ionice -c 3 ${command}`,
  (command) => `flock /tmp/lock ${command}`,
  (command) => `chroot /mnt ${command}`,
  (command) => `busybox ${command}`,
  (command) => `xargs -n 1 ${command}`,
  (command) => `find . -name x -exec ${command} {} +`,
  (command) => `docker exec -it web ${command}`,
  (command) => `docker run --rm -v /a:/b image ${command}`,
  (command) => `kubectl -n prod exec pod -c app -- ${command}`,
  (command) => `npx -y ${command}`,
  (command) => `uv run --with x ${command}`,
];

/** These take a text for a shell, so anything may stand in them. */
const TEXTS: readonly ((command: string) => string)[] = [
  (command) => `sh -c ${quoted(command)}`,
  (command) => `bash -lc ${quoted(command)}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `ssh -p 22 host ${quoted(command)}`,
  (command) => `su - root -c ${quoted(command)}`,
  (command) => `watch -n 1 ${quoted(command)}`,
  (command) => `bash <<< ${quoted(command)}`,
  (command) => `printf %s ${quoted(command)} | sh`,
  (command) => `echo ${Buffer.from(command).toString('base64')} | base64 -d | sudo bash`,
  (command) => `git -c alias.x=${quoted(`!${command}`)} x`,
  (command) => `parallel ::: ${quoted(command)}`,
  (command) => `trap ${quoted(command)} EXIT`,
  (command) => `nix-shell -p x --run ${quoted(command)}`,
];

const AROUND: readonly ((command: string) => string)[] = [
  (command) => `( ${command} )`,
  (command) => `{ ${command}; }`,
  (command) => `ls && ${command}`,
  (command) => `ls\n${command}`,
  (command) => `{ false || ${command} & }`,
  (command) => `if true; then ${command}; fi`,
  (command) => `f() { ${command}; }; f`,
  (command) => `echo "$( ${command} )"`,
  (command) => `cat <( ${command} )`,
  (command) => `X=$( ${command} )`,
  (command) => `for i in 1 2; do ${command}; done`,
  (command) => `ls | while read l; do ${command}; done`,
  (command) => `{ ${command}\n} > /tmp/x 2>&1`,
];

const simple: fc.Arbitrary<string> = fc.constantFrom(
  'wipe -r --now /',
  'wipe --now -vr x',
  '/usr/bin/wipe -r --now=1 /',
);
const prefixed = fc
  .tuple(
    simple,
    fc.array(fc.constantFrom(...WRAPPERS), { maxLength: 5 }),
    fc.constantFrom('', 'X=1 ', 'X= Y="a b" '),
  )
  .map(
    ([command, wrappers, assigned]) =>
      assigned + wrappers.reduce<string>((inner, wrap) => wrap(inner), command),
  );
const nested = fc
  .tuple(prefixed, fc.array(fc.constantFrom(...TEXTS, ...AROUND), { maxLength: 3 }))
  .map(([command, wrappers]) => wrappers.reduce<string>((inner, wrap) => wrap(inner), command));

test('any chain of wrappers around a denied command is denied', () => {
  fc.assert(
    fc.property(nested, (command) => {
      assert.equal(decided(command).decision, 'deny', command);
    }),
    { numRuns: RUNS },
  );
});

/** One letter, written in one of the ways in which bash reads it back. */
const letter = (char: string) =>
  fc.constantFrom(
    char,
    `'${char}'`,
    `"${char}"`,
    `\\${char}`,
    `$'${char}'`,
    `$'\\x${char.charCodeAt(0).toString(16)}'`,
    `$'\\${char.charCodeAt(0).toString(8).padStart(3, '0')}'`,
    `$'\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}'`,
    `''${char}""`,
    `\\\n${char}`,
  );
const spelled = (word: string) => fc.tuple(...[...word].map(letter)).map((letters) => letters.join(''));

test('no way to quote the letters of a denied command gets it past its rule', () => {
  const words = fc.tuple(spelled('wipe'), spelled('-r'), spelled('--now'));
  fc.assert(
    fc.property(words, fc.constantFrom(' ', '  ', '\t', ' \\\n '), (parts, blank) => {
      assert.equal(decided(parts.join(blank)).decision, 'deny', parts.join(blank));
    }),
    { numRuns: RUNS },
  );
});

test('what is put together when it runs is never let through: it asks, or is denied', () => {
  const name = fc.constantFrom(
    'W=wipe; $W',
    '$(echo wipe)',
    '`printf wipe`',
    'w$1ipe',
    '$X',
    'w?pe',
    '"$A"wipe',
    '$(cat f)',
  );
  const flags = fc.constantFrom('-r --now', '$F --now', '-r$IFS--now', '"$ARGS"', '-$R --now');
  fc.assert(
    fc.property(name, flags, (command, options) => {
      assert.match(decided(`${command} ${options} /`).decision, /^(?:deny|ask)$/, `${command} ${options}`);
    }),
    { numRuns: RUNS },
  );
});

test('a copy of a program is the program, whatever made the copy', () => {
  for (const copy of ['cp /bin/wipe q', 'dd of=q if=/bin/wipe', 'rsync -a /bin/wipe q', 'ditto /bin/wipe q'])
    assert.equal(decided(`${copy}; ./q -r --now x`).decision, 'deny', copy);
});

test('a program file that names itself is analyzed in bounded work', () => {
  assert.notEqual(decided("echo '-ff' > f; awk -f f").decision, 'allow');
});

test('an allowed command stays allowed only alone and spelled out', () => {
  assert.equal(decided('git status').decision, 'allow');
  assert.equal(decided('git log > /dev/null 2>&1').decision, 'allow');
  for (const command of [
    'git status; ls',
    'git $X',
    'git log > f',
    'sudo git status',
    'git status $(ls)',
    'GIT=1; git "$(ls)"',
  ])
    assert.notEqual(decided(command).decision, 'allow', command);
});

test('hostile texts are read in bounded work, and what is not read through is not let through', () => {
  const piece = fc.constantFrom(
    '$(',
    '`',
    '"',
    "'",
    '(',
    '{',
    '${',
    '$((',
    '[[ ',
    'case x in ',
    '<<E\n',
    '\\',
    ';',
    '|',
    '&',
    '\n',
    ')',
    '}',
    'a',
    '{a,b}',
    '*',
    '<(',
    '>',
    'if ',
    'do ',
    '=',
    '!',
    '#',
  );
  const text = fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 1_500 }))
    .map(([pieces, times]) => pieces.join('').repeat(times));
  fc.assert(
    fc.property(text, (command) => {
      const { commands, unclear } = analyzeShellCode(grammar, command);
      assert.ok(commands.length <= 250);
      if (command.length > 10_000) assert.ok(unclear.length > 0);
    }),
    { numRuns: process.env['FLOE_TEST_FULL'] ? 2_000 : 60 },
  );
});

test('whatever stands in a text, its analysis ends without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (command) => {
      analyzeShellCode(grammar, command);
    }),
    { numRuns: RUNS },
  );
});
