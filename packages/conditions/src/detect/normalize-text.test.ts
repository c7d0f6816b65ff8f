import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizeForDetection } from './normalize-text.ts';
import { redactText } from './redact.ts';
import type { FindingKind } from './sensitive-data-scan.ts';

const CARD: ReadonlySet<FindingKind> = new Set(['credit_card']);
const DIGITS = '4111111111111111';

function spell(digit: (value: number) => string, between = ''): string {
  return [...DIGITS].map((value) => digit(Number(value))).join(between);
}

function fromZero(zero: number): string {
  return spell((value) => String.fromCodePoint(zero + value));
}

test('digits of any script, invisible characters, and unusual spaces and dashes do not hide a value', () => {
  const spellings = [
    // Full-width, Arabic-Indic, Devanagari and mathematical digits.
    ...[0xff10, 0x0660, 0x0966, 0x1d7ce, 0x1d7f6].map(fromZero),
    // Zero-width, soft hyphen, joiner, bidirectional isolate, variation selector and tag characters.
    ...['\u200b', '\u00ad', '\u034f', '\u2066', '\u2069', '\ufe0f', '\u{e0020}', '\ufeff'].map((between) =>
      spell(String, between),
    ),
    // Ideographic, Ogham and no-break spaces; small dash, minus sign and em dash.
    ...['\u3000', '\u1680', '\u00a0', '\ufe58', '\u2212', '\u2014'].map((between) =>
      ['4111', '1111', '1111', '1111'].join(between),
    ),
    '４１１１　１１１１　１１１１　１１１１',
  ];
  for (const spelling of spellings)
    assert.equal(
      redactText(`karte ${spelling}\ufe0f😀 é`, CARD).text,
      'karte [redacted:credit_card]\ufe0f😀 é',
      JSON.stringify(spelling),
    );
});

test('other characters stay as they are', () => {
  for (const text of ['émile 😀 1-2 ４', '\ud800４\udc00', '日本語、テスト。', 'x² + ½'])
    assert.equal(redactText(text, CARD).text, text);
});

test('each character is classified once, however often it occurs', (t) => {
  const count = t.mock.method(String, 'fromCodePoint');
  const callsFor = (text: string): number => {
    count.mock.resetCalls();
    normalizeForDetection(text);
    return count.mock.callCount();
  };
  const digits = ['\u0669', '\uff19', '\u{1d7ff}', '\u{1e2f9}', '\u{1e5f1}'];
  for (const digit of digits) assert.ok(callsFor(digit.repeat(1_000)) <= 52, digit);
  // More characters than a small cache can hold, in an order that replaces each one before it occurs again.
  const planes = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x1_0000 + at)).join('');
  callsFor(`\u{1d7ff}${planes}`);
  assert.equal(callsFor(`\u{1d7ff}${planes}`.repeat(3)), 0);
});
