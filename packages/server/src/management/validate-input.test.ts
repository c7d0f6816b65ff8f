import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { MAX_REQUEST_ENTRIES, requireEntryCountWithinLimit } from './find-invalid-entry.ts';
import { validateInput } from './validate-input.ts';

function readFault(schema: z.ZodType, value: unknown): string {
  try {
    validateInput(schema, value);
    return 'valid';
  } catch (error) {
    return error instanceof Fault ? `${error.code} ${error.detail.param ?? ''}`.trim() : String(error);
  }
}

test('validation stops at the first invalid entry of a long list or map', () => {
  let validated = 0;
  const entry = z.custom<string>((value) => {
    validated += 1;
    return typeof value === 'string';
  });
  for (const [schema, entries] of [
    [z.array(entry), Array.from({ length: MAX_REQUEST_ENTRIES }, () => 1)],
    [
      z.record(z.string(), entry),
      Object.fromEntries(Array.from({ length: MAX_REQUEST_ENTRIES }, (_, n) => [n, 1])),
    ],
    [z.array(z.array(entry)), Array.from({ length: 80 }, () => Array.from({ length: 80 }, () => 1))],
  ] as const) {
    validated = 0;
    assert.match(readFault(z.strictObject({ list: schema }), { list: entries }), /^invalid_request list/);
    assert.ok(validated <= 500, `${validated} entries were validated`);
  }
});

test('a request may have at most 10,000 entries in lists and maps, except in values without a schema', () => {
  const list = (length: number) => Array.from({ length }, () => 'a');
  const map = Object.fromEntries(Array.from({ length: MAX_REQUEST_ENTRIES + 1 }, (_, n) => [`a${n}`, 'a']));
  const schema = z.strictObject({
    list: z.array(z.string()).optional(),
    either: z.union([z.string(), z.array(z.string())]).optional(),
    map: z.record(z.string(), z.string()).optional(),
    any: z.record(z.string(), z.unknown()).optional(),
  });
  assert.equal(readFault(schema, { list: list(MAX_REQUEST_ENTRIES) }), 'valid');
  assert.equal(readFault(schema, { any: { list: list(MAX_REQUEST_ENTRIES + 1) } }), 'valid');
  for (const value of [
    { list: list(MAX_REQUEST_ENTRIES + 1) },
    { either: list(MAX_REQUEST_ENTRIES + 1) },
    { list: list(MAX_REQUEST_ENTRIES - 1), either: list(2) },
    { map },
    map,
  ])
    assert.equal(readFault(schema, value), 'request_too_large');
});

test('the entries of a value that is validated later are counted behind an invalid entry too', () => {
  const schema = z.strictObject({ first: z.array(z.string()), second: z.array(z.string()) });
  const value = (count: number) => ({
    first: Array.from({ length: 1_000 }, () => 1),
    second: Array.from({ length: count }, () => 'a'),
  });
  requireEntryCountWithinLimit(schema, value(MAX_REQUEST_ENTRIES - 1_000));
  assert.throws(
    () => requireEntryCountWithinLimit(schema, value(MAX_REQUEST_ENTRIES)),
    /more than 10,000 entries/,
  );
});
