import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelayConfig } from '../compile-relay-config.ts';
import { evaluateRelayEvent } from '../evaluate-event.ts';
import { compilePathPatterns } from '../rules/path-patterns.ts';
import { PreparedEvent } from '../rules/prepared-event.ts';
import { findFileAccesses } from '../rules/shell-files.ts';
import { analyzeShellCode } from './analyze-shell-code.ts';
import { analyzeForeignCode } from './foreign-code.ts';
import { loadShellParser } from './shell-parser.ts';

const grammar = await loadShellParser();
const relay = compileRelayConfig(
  RelaySchema.parse({
    mode: 'enforce',
    rules: [
      { name: 'no-rm', on: 'shell', match: { command: 'rm', any_flag: ['-f'] }, decision: 'deny' },
      { name: 'no-env', on: 'file_read', match: { path: ['.env', '~/.ssh/*'] }, decision: 'deny' },
    ],
  }),
);
const MOST_COMMANDS = 200;
const MOST_WORDS = 12_000;
const MOST_DOUBTS = 12_000;

const loop = (depth: number, body: string) =>
  `${'for a in 1 2 3 4 5 6 7 8 9 10 11 12; do '.repeat(depth)}${body}${'; done'.repeat(depth)}`;
const functions = (count: number) =>
  Array.from({ length: count }, (_, n) => `f${n}() { f${n + 1} "$@" "$@"; f${n + 1} "$@"; }`).join('\n');

/** Texts that grow with a size, and with them what a careless analysis would do. */
const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  'functions that call themselves twice': (size) => `f() { ${'f; '.repeat(size)}}; f`,
  'functions that double their words': (size) => `${functions(size)}\nf0 a b c`,
  'loops in loops': (size) => loop(size, 'echo $a'),
  'loops around assignments that double': (size) => loop(size, 'x=$x$x; cat $x'),
  'braces in braces': (size) => `cat ${'{a,b,c}'.repeat(size)}`,
  wildcards: (size) => `cat ${'*a?'.repeat(size * 8)}`,
  'many words with wildcards': (size) => `cat ${'*.e*v* ~/.s*/i* '.repeat(size * 8)}`,
  'substitutions in substitutions': (size) => `${'$('.repeat(size)}echo a${')'.repeat(size)}`,
  'shells in shells': (size) =>
    Array.from({ length: size }).reduce<string>(
      (code) => `sh -c ${JSON.stringify(code)}`.slice(0, 9_000),
      'rm -f x',
    ),
  'aliases that double': (size) =>
    `${Array.from({ length: size }, (_, n) => `alias a${n}="a${n + 1}; a${n + 1}"`).join('\n')}\na0`,
  'positional parameters that double': (size) => `set -- a b; ${'set -- "$@" "$@"; '.repeat(size)}echo "$@"`,
  'literals in other languages': (size) => `python3 -c '${'os.system("echo a");'.repeat(size * 8)}'`,
  'lines for xargs': (size) => `printf '${'a\\n'.repeat(size * 40)}' | xargs -I{} sh -c 'cat {} {}'`,
  'recipes of make': (size) => `make -f - <<E\na:\n${'\ta\n'.repeat(size * 60)}E`,
  'carriage returns in a patch': (size) => `patch '${'\r'.repeat(size * 200)}'`,
  'line separators in a patch': (size) => `a='${'\u2028'.repeat(size * 40)}'; patch "${'$a'.repeat(size)}"`,
  'names of files in a patch': (size) => `git apply <<E\n${'--- a\n+++ b\n'.repeat(size * 16)}E`,
  'here-documents': (size) => `cat <<E\n${'$(a) '.repeat(size * 16)}\nE`,
};

suite('work for one text is bounded', () => {
  for (const [what, text] of Object.entries(TEXTS))
    test(`${what}, in three sizes`, () => {
      for (const size of [4, 12, 40]) {
        const analysis = analyzeShellCode(grammar, text(size));
        const words = analysis.commands.reduce((sum, { args }) => sum + args.length, 0);
        assert.ok(
          analysis.commands.length <= MOST_COMMANDS,
          `${analysis.commands.length} commands of ${size}`,
        );
        assert.ok(words <= MOST_WORDS, `${words} words of ${size}`);
        assert.ok(analysis.unclear.length <= MOST_DOUBTS, `${analysis.unclear.length} doubts of ${size}`);
        assert.ok(findFileAccesses(analysis).length <= 8 * MOST_WORDS, `${size}`);
      }
    });

  test('paths are resolved against few directories, and too many paths may be any path', () => {
    const words = (count: number) => Array.from({ length: count }, (_, n) => n.toString(36)).join(' ');
    const texts = [
      `${'cd a; '.repeat(190)}tee ${words(500)}`,
      `${`cd ${'a/'.repeat(20)}; `.repeat(100)}tee ${words(250)}`,
      `cd ${'a/'.repeat(200)}; cd ${'b/'.repeat(200)}; tee ${words(1_800)}`,
      `for a in 1 2 3 4 5 6 7 8 9 10 11 12; do cd $a; tee ${words(200)}; done`,
    ];
    for (const command of texts)
      for (const cwd of ['/srv/app', `/${'b/'.repeat(2_000)}`]) {
        const shell = { command, dialect: 'bash' as const };
        const event = relayEvent.parse({ event: 'shell', cwd, shell });
        const files = new PreparedEvent(grammar, event, { key: '', team: null, owner: null }, 0).files();
        const paths = files.flatMap(({ path }) => path.absolute);
        const chars = paths.reduce((sum, path) => sum + path.length, 0);
        assert.ok(paths.length <= 4_000, `${paths.length} paths for ${command.slice(0, 60)}`);
        assert.ok(chars <= 5_000_000, `${chars} characters for ${command.slice(0, 60)}`);
      }
  });

  test('the comparison of wildcards with long patterns of rules ends', () => {
    const path = Array.from({ length: 60 }, (_, n) => `${'b*'.repeat(288)}zz${n}`);
    const rule = { name: 'wild', on: 'file_read', match: { path }, decision: 'deny' };
    const strict = compileRelayConfig(RelaySchema.parse({ mode: 'enforce', rules: [rule] }));
    const command = `cat ${Array.from({ length: 4 }, (_, n) => 'b?'.repeat(280 - n)).join(' ')}`;
    const event = relayEvent.parse({ event: 'shell', shell: { command } });
    const identity = { key: '', team: null, owner: null };
    const subject = new PreparedEvent(grammar, event, identity, 0);
    const matches = compilePathPatterns(path);
    const results = subject.files().map((file) => matches(file.path, subject.pathSteps));
    assert.equal(results.at(-1), 'maybe');
    assert.ok(subject.pathSteps.used < 1_100_000, `${subject.pathSteps.used} steps`);
    assert.equal(evaluateRelayEvent(event, { relay: strict, grammar, identity, nowMs: 0 }).decision, 'ask');
  });

  test('lines of another language beyond the bounds are not analyzed one by one', () => {
    const { unclear } = analyzeShellCode(grammar, `make -f - <<E\na:\n${'\ta\n'.repeat(3_000)}E`);
    assert.ok(unclear.length > 0 && unclear.length < 10, `${unclear.length} doubts`);
  });

  test('code in arguments that expand beyond the bounds is not searched', () => {
    // With work that grows with the square of the length, each of these texts takes hours.
    for (const [program, piece] of [
      ['psql -c', '\\set x'],
      ['sqlite3 x', ' edit(x'],
      ['tmux', '#(x'],
      ['m4 <<<', 'syscmd(x'],
      ['python3 -c', ' q(x'],
      ['vim -c', ' system('],
    ] as const) {
      const code = `a='${piece.repeat(500)}'; ${program} "${'$a'.repeat(1_500)}"`;
      const { unclear } = analyzeShellCode(grammar, code);
      assert.ok(unclear.length > 0 && unclear.length < 10, `${program}: ${unclear.length} doubts`);
    }
  });

  test('what is beyond the bounds asks, and never passes', () => {
    const beyond = [
      `${'ls; '.repeat(300)}rm -f x`,
      loop(4, 'rm -f x'),
      `${functions(14)}\nf14() { rm -f x; }\nf0 a b c`,
      `python3 -c '${'os.system("echo a");'.repeat(300)}os.system("rm -f x")'`,
      `make -f - <<E\na:\n${'\ta\n'.repeat(300)}\trm -f x\nE`,
      `just -f - <<E\na:\n${' # a\n'.repeat(300)} rm -f x\nE`,
      `a='${' '.repeat(5_000)}'; psql -c "\\! rm -f x $a$a$a"`,
      `a='${' '.repeat(5_000)}'; tmux run-shell "rm -f x $a$a$a"`,
      `a='${' '.repeat(5_000)}'; ${'psql -c "$a"; '.repeat(20)}psql -c "\\! rm -f x"`,
      `set -- ${'a '.repeat(200)}-f; rm "$@"`,
      `for x in ${'a/b '.repeat(40)}-f; do rm $x y; done`,
      `${'cd a; '.repeat(190)}cat .ssh/id`,
      `cd a; cd b; cd c; cat ${Array.from({ length: 1_200 }, (_, n) => n.toString(36)).join(' ')} ~/.ssh/id`,
    ];
    for (const command of beyond) {
      const event = relayEvent.parse({ event: 'shell', shell: { command } });
      const identity = { key: '', team: null, owner: null };
      const { decision } = evaluateRelayEvent(event, { relay, grammar, identity, nowMs: 0 });
      assert.match(decision, /^(?:ask|deny)$/, command.slice(0, 80));
    }
  });
});

test('code that doubles a text does not create a text of many megabytes', () => {
  for (const code of [
    `x=aaaa; ${'read x <<< "$x$x"; '.repeat(60)}git push $x`,
    `x=aaaa; ${'x=$(echo "$x$x"); '.repeat(60)}git push $x`,
    `x=aaaa; ${'printf -v x %s "$x$x"; '.repeat(60)}git push $x`,
    `echo aaaa > f; ${'echo "$(cat f)$(cat f)" > f; '.repeat(60)}git push $(cat f)`,
    `set -- aaaa; ${'set -- "$1$1"; '.repeat(60)}git push $1`,
    `x=aaaa; ${'for x in "$x$x"; do :; done; '.repeat(60)}git push $x`,
  ]) {
    const { commands } = analyzeShellCode(grammar, code);
    const lengths = commands.flatMap(({ args }) =>
      args.map(({ text, pattern }) => text?.length ?? pattern.length),
    );
    assert.ok(Math.max(...lengths) <= 10_000, code.slice(0, 40));
    const last = commands.findLast(({ name }) => name === 'git')?.args.at(-1);
    assert.equal(last?.text, null, code.slice(0, 40));
  }
});

test('a replacement does not create a text of many megabytes', () => {
  const code = `x=${'a'.repeat(4_000)}; echo ${'${x//a/'}${'b'.repeat(4_000)}}`;
  const { commands } = analyzeShellCode(grammar, code);
  assert.deepEqual(
    commands.map(({ args }) => args[0]?.text),
    [null],
  );
});

test('the work for a formatted string grows with its length, not with its square', () => {
  const started = performance.now();
  analyzeForeignCode(`f'{${'a.'.repeat(60_000)}'`);
  assert.ok(performance.now() - started < 2_000);
});

test('the parser does not read the rest of the code again after every character', () => {
  const rest = { nodes: Infinity, visits: Infinity, commands: Infinity, characters: Infinity };
  for (const part of ['@a', '?a', '@(a', 'a=(']) {
    const work = { parserCallbacks: Infinity, parserReads: 500, ...rest };
    assert.equal(grammar.parse(part.repeat(10_000 / part.length), work), 'too_much', part);
  }
  for (const length of [993, 994, 995]) {
    const word = `${'x'.repeat(length)}😀`;
    const { commands } = analyzeShellCode(grammar, `echo ${word}; rm 'y😀'`);
    const words = commands.map(({ name, args }) => [name, args[0]?.text]);
    assert.deepEqual(words, [
      ['echo', word],
      ['rm', 'y😀'],
    ]);
  }
});

test('the work for blanks in variables grows with their number, not with its square', () => {
  const blanks = ' '.repeat(5_000);
  const lines = '\n'.repeat(5_000);
  for (const code of [
    `x="a${blanks}b"; ${'read y <<< "$x"; '.repeat(190)}`,
    `x="a${lines}b"; ${'z=$(echo "$x"); '.repeat(190)}`,
  ]) {
    const before = process.threadCpuUsage();
    analyzeShellCode(grammar, code);
    const { user, system } = process.threadCpuUsage(before);
    const passed = (user + system) / 1_000;
    assert.ok(passed < 6_000, `${passed} ms for ${code.slice(0, 10)}`);
  }
});

test('the separators in a long IFS are unknown', () => {
  const { commands } = analyzeShellCode(grammar, `IFS=${'b'.repeat(4_000)}; read x <<< a; git push $x`);
  const [, word] = commands.find(({ name }) => name === 'git')?.args ?? [];
  assert.deepEqual([word?.text, word?.unknown], [null, 'computed']);
});
