import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CompiledCondition, compileCondition, EvaluationFailure } from './condition.ts';
import {
  estimateCompilationSteps,
  estimatePatternSize,
  estimateStepsPerCharacter,
  MAX_PATTERN_SIZE,
} from './regular-expression.ts';
import { MAX_EVALUATION_STEPS, StepMeter } from './step-meter.ts';
import type { ConditionValue, ConditionVariables, ConditionVocabulary } from './vocabulary.ts';

/** A map that counts how often an expression reads from it, whatever the expression's own meter says. */
class CountingMap extends Map<string, ConditionValue> {
  reads = 0;

  override get(key: string): ConditionValue | undefined {
    this.reads += 1;
    return super.get(key);
  }
}

const message = (text: string) =>
  new Map([
    ['role', 'user'],
    ['text', text],
  ]);
const VOCABULARY: ConditionVocabulary = {
  example: {
    request: new Map<string, ConditionValue>([
      ['model', 'a/b'],
      ['text', 'text'],
      ['messages', [message('text')]],
    ]),
  },
  dynamicVariables: new Set(),
};

function variables(messages: number, chars: number): ConditionVariables & { readonly request: CountingMap } {
  return {
    request: new CountingMap([
      ['model', 'a/b'],
      ['text', 'a'.repeat(chars)],
      ['messages', Array.from({ length: messages }, () => message('hello'))],
    ]),
  };
}

function compiled(source: string): CompiledCondition | null {
  try {
    return compileCondition(source, VOCABULARY);
  } catch {
    return null;
  }
}

/** Conditions as somebody might write who wants them to be dear: loops in loops, texts in loops, long lists. */
const dear = fc.letrec<{ condition: string; list: string; text: string }>((tie) => ({
  text: fc.oneof(
    fc.constantFrom('request.text', 'request.model', '"aaaaaaaa"', "'b'"),
    fc.tuple(tie('text'), tie('text')).map(([one, other]) => `(${one} + ${other})`),
  ),
  list: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: 1, max: 60 }).map((n) => `[${Array.from({ length: n }, (_, at) => at).join()}]`),
    fc.constant('request.messages'),
    fc.tuple(tie('list'), tie('list')).map(([one, other]) => `(${one} + ${other})`),
    fc.tuple(tie('list'), tie('condition')).map(([list, inner]) => `${list}.filter(f, ${inner})`),
    fc.tuple(tie('list'), tie('list')).map(([list, inner]) => `${list}.map(g, ${inner})`),
  ),
  condition: fc.oneof(
    { maxDepth: 9, withCrossShrink: true },
    fc.constantFrom('request.model == "a/b"', 'true', 'request.text == request.text + "b"'),
    fc
      .tuple(fc.constantFrom('all', 'exists', 'exists_one'), tie('list'), tie('condition'))
      .map(([macro, list, inner]) => `${list}.${macro}(v, ${inner})`),
    fc
      .tuple(fc.constantFrom('all', 'exists', 'exists_one'), tie('list'), tie('condition'))
      .map(([macro, list, inner]) => `${list}.${macro}(w, ${inner})`),
    fc.tuple(tie('condition'), tie('condition')).map(([one, other]) => `(${one} && ${other})`),
    fc.tuple(tie('condition'), tie('condition')).map(([one, other]) => `(${one} || ${other})`),
    fc.tuple(tie('text'), tie('text')).map(([one, other]) => `${one}.contains(${other})`),
    fc
      .tuple(tie('text'), fc.constantFrom('(a|b){9}c', 'a*b', '[ab]{100}x', '(?:[^c]{30}){30}'))
      .map(([text, pattern]) => `${text}.matches("${pattern}")`),
    fc.tuple(tie('list'), tie('list')).map(([one, other]) => `${one} == ${other}`),
    tie('text').map((text) => `size(${text}) > 3`),
  ),
}));

test('whatever a condition loops over, every read is counted, and none comes after the limit', () => {
  let [judged, ended, reads] = [0, 0, 0];
  const limit = 20_000;
  fc.assert(
    fc.property(dear.condition, (source) => {
      const condition = source.length <= 4_000 ? compiled(source) : null;
      if (!condition) return;
      judged += 1;
      const read = variables(300, 3_000);
      const steps = new StepMeter(limit);
      const outcome = condition.evaluate(read, steps);
      assert.ok(read.request.reads <= steps.used, `${read.request.reads} reads, ${steps.used} steps`);
      assert.ok(read.request.reads <= limit);
      reads += read.request.reads;
      if (steps.isExceeded) ended += 1;
      if (steps.isExceeded)
        assert.ok(outcome instanceof EvaluationFailure, 'what exceeds the limit is not judged');
    }),
    { numRuns: 1_000, seed: 11 },
  );
  assert.ok(judged > 300 && ended > 20 && reads > 10_000, `${judged} judged, ${ended} ended, ${reads} reads`);
});

/** Conditions that may be saved, each with something that a sender makes longer. */
const GROWING: Readonly<Record<string, (n: number) => ConditionVariables>> = {
  'request.messages.all(m, m.text == "hello")': (n) => variables(n, 10),
  '[1,2,3].all(a, [1,2,3].all(b, request.messages.all(m, m.role == "user")))': (n) => variables(n, 10),
  'request.messages == request.messages': (n) => variables(n, 10),
  'request.text.contains("aaaaaaaaab")': (n) => variables(1, n),
  'request.text.matches("(a|b)*c")': (n) => variables(1, n),
  'size(request.text) > 3 && request.text + "a" != request.text': (n) => variables(1, n),
  '{} in request.messages': (n) => variables(n, 10),
};

for (const [source, of] of Object.entries(GROWING))
  test(`twice the input takes at most twice the steps: ${source}`, () => {
    const condition = compiled(source.replace('{}', 'request.model'));
    assert.ok(condition);
    const used = (n: number) => {
      const steps = new StepMeter();
      condition.evaluate(of(n), steps);
      return steps.used;
    };
    for (const n of [500, 1_000, 2_000])
      assert.ok(used(2 * n) <= 2.1 * used(n), `${used(n)}, ${used(2 * n)}`);
  });

test('a condition that is sure to be too dear is refused when it is saved, at once', () => {
  const list = '[1,2,3,4,5,6,7,8,9]';
  const nested = (depth: number): string =>
    depth === 0 ? 'true' : `${list}.all(v${depth}, ${nested(depth - 1)})`;
  assert.ok(compiled(nested(3)));
  for (const depth of [4, 8, 40])
    assert.throws(
      () => compileCondition(nested(depth), VOCABULARY),
      /^Error: must take at most .* steps, but takes/,
    );
  assert.throws(
    () =>
      compileCondition(
        `${list}.all(a, ${list}.all(b, ${list}.all(c, request.messages.all(m, true))))`,
        VOCABULARY,
      ),
    /for each entry of a list that it loops over/,
  );
});

test('functions that charge steps cannot be named in a condition', () => {
  assert.throws(() => compileCondition('floe_step_(-1000000)', VOCABULARY), /unknown function/);
  assert.throws(() => compileCondition('floe_range_([1]).all(a, true)', VOCABULARY), /unknown function/);
});

test('conditions that come after the limit are not judged either', () => {
  const steps = new StepMeter(100);
  const condition = compiled('request.messages.all(m, m.role == "user")');
  const cheap = compiled('request.model == "a/b"');
  assert.ok(condition?.evaluate(variables(1_000, 1), steps) instanceof EvaluationFailure);
  assert.ok(cheap?.evaluate(variables(1, 1), steps) instanceof EvaluationFailure);
  assert.equal(cheap.evaluate(variables(1, 1), new StepMeter()), true);
});

test('a search of a pattern in a text takes steps for both', () => {
  const condition = compiled('request.text.matches("(?:[^b]{30}){30}")');
  const steps = new StepMeter();
  assert.ok(condition?.evaluate(variables(1, 200_000), steps) instanceof EvaluationFailure);
  assert.ok(steps.used > MAX_EVALUATION_STEPS);
});

test('a condition whose regular expressions take too long to compile is rejected, however often it is saved', () => {
  const large = (at: number) => `request.text.matches('${at}(?:a{900}|b{900}|c{900})')`;
  const conditions = [
    Array.from({ length: 40 }, (_, at) => large(at)).join(' || '),
    `[${Array.from({ length: 40 }, (_, at) => `'${at}(?:a{900}|b{900}|c{900})'`).join()}].exists(p, request.text.matches(p))`,
    `request.text.matches('(?i)${'\\\\pL'.repeat(700)}')`,
  ];
  for (const source of conditions)
    for (let attempt = 0; attempt < 5; attempt++)
      assert.throws(
        () => compileCondition(source, VOCABULARY),
        /the regular expressions of a condition must compile/,
      );
  assert.ok(compiled(large(0)));
});

test('each code point of a range counts if case is ignored, however the range is written', () => {
  for (const source of [
    '(?i)[B-\u{1E942}]',
    '(?i)[-B-\u{1E942}]',
    '(?i)[a-bB-\u{1E942}]',
    '(?si)[^\\x42-\\x{1E942}]',
    'x(?i:[\\102-\\x{1e942}])',
    '(?i)[B-\u{10FFFF}]',
    '(?i)\\Q\\x{\\E[B-\u{1E942}]',
  ]) {
    const steps = estimateCompilationSteps(source);
    assert.ok(steps > 1_000_000 && steps < 1_010_000, `${source}: ${steps}`);
    assert.throws(
      () => compileCondition(`request.text.matches(r'${source}')`, VOCABULARY),
      /the regular expressions of a condition must compile/,
    );
  }
  for (const source of [
    '[B-\u{1E942}]',
    '(?i)[\\x00-\u{10FFFF}]',
    '(?i)[\u{20000}-\u{10FFFF}]',
    '(?i)well-known [a-z0-9]+',
  ])
    assert.ok(estimateCompilationSteps(source) < 1_000, source);
  assert.ok(compiled(`request.text.matches(r'(?i)[\\x{4E00}-\\x{9FFF}]')`));
  // A class is one part of the pattern, whatever its length.
  assert.ok(estimateCompilationSteps(`[${'a'.repeat(16_000)}]`) > 50_000);
});

const read = (model: string): ConditionVariables => ({
  request: new Map<string, ConditionValue>([
    ['model', model],
    ['text', 'text'],
  ]),
});
const stepsOf = (source: string, model: string, steps = new StepMeter()) => {
  compiled(source)?.evaluate(read(model), steps);
  return steps.used;
};

test('each evaluation counts the compilation of computed patterns, and no evaluation affects another', () => {
  const source = 'request.text.matches(request.model)';
  const long = 'c{900}';
  assert.ok(stepsOf(source, 'c{20}') < 1_000);
  for (let time = 0; time < 2; time++) assert.ok(stepsOf(source, long) > 25_000);
  const steps = new StepMeter();
  const first = stepsOf(source, long, steps);
  assert.ok(stepsOf(source, long, steps) < first + 1_000);
  for (let at = 0; at < 600; at++) stepsOf(source, `d${at}`, steps);
  assert.ok(steps.used < 200_000 && stepsOf(source, long, steps) < 200_000);
});

test('literal patterns are compiled with the condition, also those that the example does not reach', () => {
  const pattern = 'c{900}';
  for (const source of [
    `request.model != "a/b" && request.text.matches("${pattern}")`,
    `request.model != "a/b" && ["${pattern}", "x"].exists(p, request.text.matches(p))`,
  ]) {
    assert.ok(stepsOf(source, 'other') < 200, source);
    assert.throws(
      () => compileCondition(source.replace(pattern, '(?i)[B-\u{1E942}]'), VOCABULARY),
      /the regular expressions of a condition must compile/,
    );
  }
});

test('the size of a pattern counts what its repetitions come to', () => {
  const known: Readonly<Record<string, number>> = {
    abc: 3,
    'a{10}': 10,
    '(ab){10}': 20,
    '((a{10}){10}){10}': 1_000,
    '[^a-z]{7}': 7,
    'a{2,5}': 5,
    '\\pL{3}\\.{2}': 5,
    '[]a]{4}': 4,
    '\\Qa{9}\\E': 4,
  };
  for (const [source, size] of Object.entries(known)) {
    const found = estimatePatternSize(source);
    assert.ok(
      found >= size && found <= 2 * size + 4 + (source.match(/\(/g)?.length ?? 0) * size,
      `${source}: ${found}`,
    );
  }
  assert.ok(estimatePatternSize('(\\pL{30}){30}'.repeat(50)) > MAX_PATTERN_SIZE);
});

test('a call with a time zone takes the steps for loading its rules', () => {
  const steps = (call: string) => stepsOf(`request.model == "a" || timestamp(0).${call} > 99`, 'b');
  for (const accessor of ['getHours', 'getFullYear', 'getDayOfYear', 'getMilliseconds']) {
    const plain = steps(`${accessor}()`);
    assert.ok(plain > 20 && plain < 50, `${plain}`);
    assert.ok(steps(`${accessor}("+02:00")`) < 50);
    assert.ok(steps(`${accessor}("Asia/Tokyo")`) > 800);
    assert.ok(steps(`${accessor}("UTC")`) > 800);
  }
  const list = (length: number) => `[${Array.from({ length }, (_, at) => at).join()}]`;
  const nested = `${list(30)}.exists(i, ${list(36)}.exists(j, timestamp(0).getHours('Asia/Tokyo') > 99))`;
  assert.throws(() => compileCondition(nested, VOCABULARY), /must take at most 300000 steps/);
});

test('a match takes the steps of its kind of pattern for each character', () => {
  // Measured in steps of 0.1 µs, with the texts that take longest.
  const measured: Readonly<Record<string, number>> = {
    abc: 0.05,
    '(?i)password': 0.25,
    q$: 0.2,
    '(.*a){10}q$': 1.2,
    'The.*$': 1.2,
    '\\A\\w+q': 0.75,
    '(?:The.*$|fox.*$|dog.*$)': 2,
    '(?:The.*|fox.*|dog.*|Pack.*|box.*|quick.*|over.*|lazy.*|brown.*|jumps.*)$': 6,
    '(?m)(.*^){20}q$': 12,
    '(?m)^.*x.*y$': 1.64,
    '(?i)(?m)^.*x.*y$': 1.64,
    '(a|b)*a(a|b){12}c': 0.15,
    '\\bq$': 1.3,
    '(?i)\\bpassword\\b': 1,
    '(?i)\\b(api|secret|token|passw(or)?d)\\b.{0,20}q$': 3,
    '(.*\\b){5}q$': 8,
    '(.*\\b){20}q$': 36,
    '(\\b|x)*q$': 3.5,
    '\\B.*q$': 2,
    '((\\b.*)*.*)*q$': 6,
    '(\\w*\\b*){10}q$': 30,
    '\\b.{0,100}\\b.{0,100}q$': 100,
    '(?:\\b.{50}){3}': 16,
  };
  for (const [source, steps] of Object.entries(measured)) {
    const charged = estimateStepsPerCharacter(source);
    assert.ok(charged > steps / 2.5 && charged < steps * 5.1, `${source}: ${charged}, measured ${steps}`);
  }
  assert.equal(estimateStepsPerCharacter('[\\b]\\\\b'), estimateStepsPerCharacter('[a]xy'), 'no boundaries');
  const used = new StepMeter();
  compiled("request.text.matches(r'\\bq$')")?.evaluate(variables(1, 10_000), used);
  assert.ok(used.used > 10_000 && used.used < 20_000, `${used.used}`);
});
