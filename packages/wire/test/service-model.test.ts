// Converse requests against the service's own published model, member by member.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { isArray, listOf, objectOf, parseJson, textOf } from '../src/json-read.ts';
import { uncarried } from '../src/request.ts';
import { asks } from './arbitrary.ts';
import { allRecordings, dialectOf } from './recordings.ts';

const MODEL = resolve(
  process.env['FLOE_FIXTURES'] ?? resolve(import.meta.dirname, '../../../../shared/fixtures'),
  '../specs/bedrock-runtime-2023-09-30.service-2.json',
);
const skip = existsSync(MODEL) ? false : 'no ../shared/specs here';
const shapes: JsonObject = skip ? {} : (objectOf(load()['shapes']) ?? {});
const OPTIONS = {
  hints: ['cache-mark', 'metadata', 'service-tier'],
  tools: ['strict'],
  think: 'budget',
} as const;

function load(): JsonObject {
  const model = parseJson(readFileSync(MODEL, 'utf8'));
  assert.ok(isObject(model));
  return model;
}

/** What a value breaks of the shape `name`, as sentences with its path. */
function violations(value: Json, name: string, path: string): string[] {
  const shape = objectOf(shapes[name]);
  assert.ok(shape, name);
  switch (textOf(shape['type'])) {
    case 'structure':
      return inStructure(value, shape, path);
    case 'list': {
      const member = textOf(objectOf(shape['member'])?.['shape']) ?? '';
      if (!isArray(value)) return [`${path} is no list`];
      return value.flatMap((entry, at) => violations(entry, member, `${path}[${at}]`));
    }
    case 'string': {
      if (typeof value !== 'string') return [`${path} is no text`];
      const allowed = listOf(shape['enum']);
      const pattern = textOf(shape['pattern']);
      const fits =
        pattern === undefined ||
        name === 'DocumentBlockNameString' ||
        new RegExp(`^(?:${pattern})$`, 's').test(value);
      if (allowed.length > 0 && !allowed.includes(value)) return [`${path} is ${value}`];
      const [min, max] = [Number(shape['min'] ?? 0), Number(shape['max'] ?? Number.POSITIVE_INFINITY)];
      return fits && value.length >= min && value.length <= max ? [] : [`${path} has another form: ${value}`];
    }
    case 'integer':
    case 'float':
      return typeof value === 'number' ? [] : [`${path} is no number`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${path} is no boolean`];
    default:
      return [];
  }
}

function inStructure(value: Json, shape: JsonObject, path: string): string[] {
  if (shape['document'] === true) return [];
  if (!isObject(value)) return [`${path} is no object`];
  const members = objectOf(shape['members']) ?? {};
  const names = Object.keys(value);
  const found = listOf(shape['required'])
    .filter((name) => typeof name === 'string' && name !== 'modelId' && !names.includes(name))
    .map((name) => `${path}.${name} is missing`);
  if (shape['union'] === true && names.length !== 1) found.push(`${path} is ${names.length} things at once`);
  for (const [name, inner] of Object.entries(value)) {
    const member = textOf(objectOf(members[name])?.['shape']);
    if (member === undefined) found.push(`${path}.${name} is unknown`);
    else if (inner !== undefined) found.push(...violations(inner, member, `${path}.${name}`));
  }
  return found;
}

function written(body: JsonObject): Json {
  return parseJson(JSON.stringify(body)) ?? null;
}

describe('Converse requests fit the published model of the service', { skip }, () => {
  test('whatever was asked', () => {
    fc.assert(
      fc.property(asks(false), (ask) => {
        // Media by address is refused before it comes here.
        fc.pre(!JSON.stringify(ask.turns).includes('"url"'));
        const { body } = UPSTREAM_DIALECTS.converse.writeAsk(ask, OPTIONS);
        assert.deepEqual(violations(written(body), 'ConverseRequest', '$'), []);
      }),
      { numRuns: process.env['FLOE_TEST_FULL'] === '1' ? 3_000 : 200 },
    );
  });

  test('whatever was recorded', (t) => {
    let count = 0;
    for (const recording of allRecordings() ?? []) {
      const dialect = dialectOf(recording);
      const body = recording.request;
      if ((dialect !== 'chat' && dialect !== 'responses' && dialect !== 'messages') || !isObject(body))
        continue;
      const ask = readable(() => CLIENT_DIALECTS[dialect].readAsk(body));
      if (!ask || uncarried(ask, UPSTREAM_DIALECTS.converse.carries).length > 0) continue;
      const sent = UPSTREAM_DIALECTS.converse.writeAsk(ask, OPTIONS).body;
      assert.deepEqual(violations(written(sent), 'ConverseRequest', '$'), [], recording.name);
      count += 1;
    }
    t.diagnostic(`${count} requests`);
    assert.ok(count > 50);
  });
});

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
