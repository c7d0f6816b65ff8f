import { isJsonObject, type Json } from '@floe/contract/json';
import fc from 'fast-check';

/** Values that programs stumble over. */
const HOSTILE_VALUES: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  Number.MAX_SAFE_INTEGER + 2,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b\ufeff',
  'x'.repeat(5_000),
  '../../etc/passwd',
  "'; DROP TABLE orgs; --",
  '%',
  '\\',
  '__proto__',
  'constructor',
  'toString',
  '2024-02-30T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '-000001-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '$' + '{HOME}',
  '(a+)+$',
  '*',
  'NaN',
  'Infinity',
  [],
  [null],
  [[[[[[]]]]]],
  {},
  { a: { b: { c: null } } },
  { length: 1e9 },
  JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'),
];

export const hostileValue: fc.Arbitrary<Json> = fc
  .oneof(fc.constantFrom(...HOSTILE_VALUES), fc.string({ unit: 'binary', maxLength: 30 }), fc.double())
  .map((value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value));

/** Texts for places that hold text alone: paths and queries. */
export const hostileText: fc.Arbitrary<string> = hostileValue.map((value) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')).toWellFormed().slice(0, 3_000),
);

/** One place of a value, exchanged for `other`, removed or joined by a member nobody knows. */
export function mutateValue(value: Json, seed: number, other: Json): Json {
  const places = [...listValuePaths(value, [])];
  const place = places[seed % places.length] ?? [];
  return replaceAtPath(value, place, other, seed % 5 === 0);
}

type ValuePath = readonly (string | number)[];

function* listValuePaths(value: Json, here: ValuePath): Generator<ValuePath> {
  yield here;
  if (Array.isArray(value))
    for (const [at, member] of value.entries()) yield* listValuePaths(member, [...here, at]);
  else if (isJsonObject(value))
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) yield* listValuePaths(member, [...here, name]);
}

function replaceAtPath(value: Json, [step, ...rest]: ValuePath, other: Json, isRemoved: boolean): Json {
  if (step === undefined) return other;
  if (Array.isArray(value))
    return value.map((member, at) => (at === step ? replaceAtPath(member, rest, other, isRemoved) : member));
  if (!isJsonObject(value)) return other;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(isRemoved && rest.length === 0 && name === step))
      .map(([name, member]) => [
        name,
        name === step && member !== undefined
          ? replaceAtPath(member, rest, other, isRemoved)
          : (member ?? null),
      ]),
  );
}
