import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFindingsInJson, redactJson } from '@floe/conditions/detect/redact';
import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import { scanJsonObject } from '@floe/wire/json-edits';
import fc from 'fast-check';
import { CleanTextCache, decodeWithoutCleanTexts } from './clean-text-cache.ts';

const ALL: ReadonlySet<FindingKind> = new Set(['secret', 'credit_card', 'email'] as const);
const FILLER = 'An ordinary sentence of a conversation, repeated. '.repeat(30);
const PARTS = [
  FILLER,
  `${FILLER}4111 1111 1111 1111`,
  `${FILLER}ada@example.org`,
  `${FILLER}${'\\n"'.repeat(3)}`,
  `${FILLER}\u00e9\u4e2d`,
  `ghp_${'aB3dE5gH7jK9mN2pQ4sT6vW8xY1z'.repeat(2)} ${FILLER}`,
  'short',
];
const conversation = fc.array(fc.constantFrom(...PARTS), { maxLength: 6 });
const kinds = fc.subarray([...ALL], { minLength: 1 }).map((list) => new Set(list));

const hasFinding = (text: string) => countFindingsInJson(JSON.stringify([text]), ALL).size > 0;
const bodyOf = (texts: readonly string[]) =>
  JSON.stringify({ messages: texts.map((content) => ({ role: 'user', content })) });

test('with cached texts, every request has the same result as without', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(conversation, kinds), { minLength: 1, maxLength: 12 }), (requests) => {
      const memory = new CleanTextCache();
      for (const [texts, redacted] of requests) {
        const json = bodyOf(texts);
        assert.deepEqual(countFindingsInJson(json, ALL, memory), countFindingsInJson(json, ALL));
        // A policy may redact some of the kinds alone.
        assert.equal(
          redactJson(json, redacted, { cleanTexts: memory }).json,
          redactJson(json, redacted).json,
        );
      }
    }),
    { numRuns: 300 },
  );
});

test('a body without its known texts has the findings of the whole body', () => {
  fc.assert(
    fc.property(fc.array(conversation, { minLength: 1, maxLength: 12 }), (requests) => {
      const memory = new CleanTextCache();
      for (const texts of requests) {
        const body = Buffer.from(bodyOf(texts));
        const { longStrings } = scanJsonObject(body);
        const rest = decodeWithoutCleanTexts(body, longStrings, memory) ?? body.toString();
        assert.deepEqual(countFindingsInJson(rest, ALL, memory), countFindingsInJson(body.toString(), ALL));
        // Every text that the scan has added is known by its bytes, too.
        const again = decodeWithoutCleanTexts(body, longStrings, memory) ?? body.toString();
        assert.equal(
          again.includes(FILLER),
          texts.some((text) => hasFinding(text)),
        );
      }
    }),
    { numRuns: 300 },
  );
});

test('a text is cached for one policy set only, and only if nothing was found in it', () => {
  const [mine, another] = [new CleanTextCache(), new CleanTextCache()];
  const clean = JSON.stringify(FILLER);
  countFindingsInJson(JSON.stringify([FILLER, PARTS[1]]), ALL, mine);
  assert.equal(mine.has(mine.keyOf(clean)), true);
  assert.equal(another.has(another.keyOf(clean)), false);
  assert.equal(mine.has(mine.keyOf(JSON.stringify(PARTS[1]))), false);
});

test('the cache is bounded: the least recently used texts are removed', () => {
  const memory = new CleanTextCache('bounded');
  memory.add('first');
  memory.add('second');
  for (let n = 0; n < 48_000; n += 1) memory.add(`other ${n}`);
  assert.equal(memory.has('first'), true, 'and used now');
  for (let n = 0; n < 2_500; n += 1) memory.add(`new ${n}`);
  assert.equal(memory.has('second'), false);
  assert.equal(memory.has('first'), true);
});

test('an organization with many texts does not remove the texts of another', () => {
  const [small, large] = [new CleanTextCache('small'), new CleanTextCache('large')];
  for (let n = 0; n < 1_000; n += 1) small.add(`text ${n}`);
  for (let n = 0; n < 120_000; n += 1) large.add(`other ${n}`);
  for (let n = 0; n < 1_000; n += 1) assert.ok(small.has(`text ${n}`), `${n}`);
  assert.ok(large.has('other 119999') && !large.has('other 0'));
});
