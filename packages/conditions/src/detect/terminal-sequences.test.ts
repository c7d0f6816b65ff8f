import assert from 'node:assert/strict';
import { test } from 'node:test';
import { characterReadCounter } from './character-codes.ts';
import { countFindingsInJson, redactJson, redactText } from './redact.ts';
import { type FindingKind, SensitiveDataScan } from './sensitive-data-scan.ts';

const ALL: ReadonlySet<FindingKind> = new Set([
  'secret',
  'email',
  'phone',
  'credit_card',
  'iban',
  'us_ssn',
] as const);
const LETTERS = 'aB3dE5gH7jK9mN2pQ4sT6vW8xY1z';
const KEY = `sk-proj-${LETTERS}${LETTERS}`;
const VALUES = [KEY, 'AKIAA3C5E7G2J4L6N8P9', 'ada@example.org', '4111 1111 1111 1111', '123-45-6789'];
const SEQUENCES = [
  '\u001b[31m',
  '\u001b[0m',
  '\u001b[m',
  '\u001b[1;38;5;208m',
  '\u001b[38:2::1:2:3m',
  '\u001b[2K',
  '\u001b[?25l',
  '\u001b(B\u001b[m',
  '\u001b7',
  '\u001bM',
];

test('terminal sequences before and after a value do not hide it, and stay in the redacted text', () => {
  for (const value of VALUES)
    for (const before of SEQUENCES)
      for (const after of ['', ' and', ...SEQUENCES, `${SEQUENCES[0]} and`]) {
        const redacted = redactText(`key ${before}${value}${after}`, ALL).text;
        assert.match(redacted.slice(4 + before.length), /^\[redacted:\w+\]/, JSON.stringify(before + value));
        assert.equal(redacted.slice(0, 4 + before.length), `key ${before}`);
        assert.ok(redacted.endsWith(`]${after}`), JSON.stringify(redacted));
      }
});

test('terminal sequences within a value do not hide it, and are redacted with it', () => {
  for (const value of VALUES)
    for (const sequence of SEQUENCES)
      for (let at = 1; at < value.length; at += 1) {
        const text = `the ${value.slice(0, at)}${sequence}${value.slice(at)}${sequence} is`;
        const redacted = redactText(text, ALL).text;
        assert.match(redacted, /^the \[redacted:\w+\]/, JSON.stringify(text));
        assert.ok(redacted.endsWith(`]${sequence} is`), JSON.stringify(redacted));
      }
});

test('the text of a link of a terminal is scanned', () => {
  const link = `\u001b]8;;https://ada:s3cret@example.org\u001b\\${KEY}\u001b]8;;\u001b\\`;
  const expected =
    '\u001b]8;;https://ada:[redacted:secret]@example.org\u001b\\[redacted:secret]\u001b]8;;\u001b\\';
  assert.equal(redactText(link, ALL).text, expected);
});

test('terminal sequences that are written as escape sequences do not hide a value', () => {
  for (const sequence of ['\\u001b[31m', '\\x1b[31m', '\\e[31m', '\\033[31m', '\\x1B[1;31m']) {
    const text = `echo -e "${sequence}${KEY}${sequence}"`;
    assert.equal(redactText(text, ALL).text, `echo -e "${sequence}[redacted:secret]${sequence}"`);
    const body = JSON.stringify({ input: [`Result: ${JSON.stringify(text)}`, { arguments: text }] });
    const { json } = redactJson(body, ALL);
    assert.equal(countFindingsInJson(json, ALL).size, 0);
    assert.ok(!json.includes(KEY));
    assert.doesNotThrow(() => JSON.parse(json));
  }
});

test('a value after a lone escape character is found', () => {
  assert.equal(redactText(`\u001b${KEY}`, ALL).text, '\u001b[redacted:secret]');
  assert.equal(redactText(`\u001b[${KEY}`, ALL).text, '\u001b[[redacted:secret]');
});

test('the work is linear in the text, however many sequences it has', () => {
  for (const piece of [
    '\u001b',
    '\u001b[',
    '\u001b[0',
    '\u001b[31m',
    '\u001b[31m1',
    '\u001b[0ma@',
    '\\e[0m4111 ',
  ]) {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    const before = characterReadCounter.reads;
    new SensitiveDataScan(text, ALL);
    const perCharacter = (characterReadCounter.reads - before) / text.length;
    assert.ok(perCharacter < 80, `${JSON.stringify(piece)}: ${perCharacter} reads for each character`);
  }
});
