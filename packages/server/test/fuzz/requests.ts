import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import { hostileText, hostileValue, mutateValue } from './hostile-values.ts';
import type { FuzzOperation, FuzzParameter } from './operations.ts';
import { resolvePointer, schemaValues } from './schema-values.ts';

/** A request to be sent, and what its answer has to be beside well-formed. */
export interface FuzzRequest {
  readonly kind: (typeof KINDS)[number];
  /** Values of the path's parameters; null takes an id that was seen in an answer. */
  readonly params: Readonly<Record<string, string | null>>;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The answer is a 400, and its `param` is this one; '' for any. */
  readonly refused?: { readonly param: string };
}

const KINDS = [
  'valid',
  'hostile-body',
  'unknown-member',
  'hostile-query',
  'unknown-query',
  'hostile-path',
  'no-json',
] as const;

const UNKNOWN_NAME = 'nobody_knows';

/** Requests of every kind that makes sense for one operation. */
export function fuzzRequests(operation: FuzzOperation, document: JsonObject): fc.Arbitrary<FuzzRequest> {
  const valid = validRequests(operation, document);
  const kinds = [
    valid,
    valid,
    valid,
    hostilePaths(operation, valid),
    unknownQuery(valid),
    hostileQuery(operation, valid),
  ];
  if (operation.body !== undefined) {
    const bodies = schemaValues(operation.body, document);
    kinds.push(
      hostileBodies(valid, bodies),
      ...(isOpen(operation.body, document) ? [] : [unknownMember(valid, bodies)]),
      invalidJsonBodies(valid),
      hostileBodies(valid, bodies),
    );
  }
  return fc.oneof(...kinds);
}

function validRequests(
  { params, query, body }: FuzzOperation,
  document: JsonObject,
): fc.Arbitrary<FuzzRequest> {
  const values = (parameters: readonly FuzzParameter[]) =>
    fc.record(
      Object.fromEntries(parameters.map(({ name, schema }) => [name, schemaValues(schema, document)])),
      {
        requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
      },
    );
  const pathValues = fc.record(
    Object.fromEntries(
      params.map(({ name, schema }) => [
        name,
        fc.oneof(fc.constant(null), fc.constant(null), schemaValues(schema, document).map(textOf)),
      ]),
    ),
  );
  const bodies = body === undefined ? fc.constant(undefined) : schemaValues(body, document);
  return fc.tuple(pathValues, values(query), bodies).map(([path, asked, value]) => ({
    kind: 'valid',
    params: path,
    query: Object.entries(asked).map(([name, one]) => [name, textOf(one)] as const),
    headers: {},
    body: value === undefined ? undefined : JSON.stringify(value),
  }));
}

function textOf(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
}

function hostileBodies(
  valid: fc.Arbitrary<FuzzRequest>,
  bodies: fc.Arbitrary<Json>,
): fc.Arbitrary<FuzzRequest> {
  return fc.tuple(valid, bodies, fc.nat(10_000), hostileValue).map(([request, body, seed, other]) => ({
    ...request,
    kind: 'hostile-body',
    body: JSON.stringify(mutateValue(body, seed, other)),
  }));
}

/** Whether the document itself says that any member may come. */
function isOpen(body: Json, document: JsonObject): boolean {
  const named =
    isJsonObject(body) && typeof body['$ref'] === 'string' ? resolvePointer(document, body['$ref']) : body;
  return isJsonObject(named) && (named['additionalProperties'] ?? false) !== false;
}

function unknownMember(
  valid: fc.Arbitrary<FuzzRequest>,
  bodies: fc.Arbitrary<Json>,
): fc.Arbitrary<FuzzRequest> {
  return fc.tuple(valid, bodies, hostileValue).map(([request, body, other]) => ({
    ...request,
    kind: 'unknown-member',
    body: JSON.stringify(isJsonObject(body) ? { ...body, [UNKNOWN_NAME]: other } : [body, UNKNOWN_NAME]),
    refused: { param: '' },
  }));
}

function unknownQuery(valid: fc.Arbitrary<FuzzRequest>): fc.Arbitrary<FuzzRequest> {
  return fc.tuple(valid, hostileText).map(([request, value]) => ({
    ...request,
    kind: 'unknown-query',
    query: [...request.query, [UNKNOWN_NAME, value] as const],
    refused: { param: '' },
  }));
}

function hostileQuery({ query }: FuzzOperation, valid: fc.Arbitrary<FuzzRequest>): fc.Arbitrary<FuzzRequest> {
  if (query.length === 0) return unknownQuery(valid);
  const names = fc.constantFrom(...query.map(({ name }) => name));
  return fc.tuple(valid, names, hostileText, fc.boolean()).map(([request, name, value, twice]) => ({
    ...request,
    kind: 'hostile-query',
    query: [
      ...request.query.filter(([other]) => twice || other !== name),
      [name, value] as const,
      ...(twice ? [[name, value] as const] : []),
    ],
  }));
}

function hostilePaths(
  { params }: FuzzOperation,
  valid: fc.Arbitrary<FuzzRequest>,
): fc.Arbitrary<FuzzRequest> {
  if (params.length === 0) return unknownQuery(valid);
  return fc
    .tuple(valid, fc.constantFrom(...params.map(({ name }) => name)), hostileText)
    .map(([request, name, value]) => ({
      ...request,
      kind: 'hostile-path',
      params: { ...request.params, [name]: value === '' ? '%' : value },
    }));
}

const DEEP = 200_000;
const BODIES: readonly (readonly [body: string, contentType: string])[] = [
  ['{', 'application/json'],
  ['', 'application/json'],
  ['{"a":1}{"b":2}', 'application/json'],
  ['\ufeff{}', 'application/json'],
  ["{'a':1}", 'application/json'],
  ['{"a":NaN}', 'application/json'],
  ['nul', 'application/json'],
  ['"text"', 'application/json'],
  ['[]', 'application/json'],
  ['null', 'application/json'],
  [`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, 'application/json'],
  [`${'{"a":'.repeat(DEEP / 4)}1${'}'.repeat(DEEP / 4)}`, 'application/json'],
  [`{"a":"${'x'.repeat(1 << 20)}"}`, 'application/json'],
  ['a=b', 'application/x-www-form-urlencoded'],
  ['{}', 'text/plain'],
  ['{}', 'multipart/form-data; boundary=x'],
  ['{}', 'nonsense'],
  ['{}', ''],
  ['{}', 'application/json; charset=utf-16'],
];

function invalidJsonBodies(valid: fc.Arbitrary<FuzzRequest>): fc.Arbitrary<FuzzRequest> {
  return fc.tuple(valid, fc.constantFrom(...BODIES)).map(([request, [body, contentType]]) => ({
    ...request,
    kind: 'no-json',
    headers: { 'content-type': contentType },
    body,
  }));
}
