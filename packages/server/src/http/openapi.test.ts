import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isJsonObject, type Json } from '@floe/contract/json';
import * as z from 'zod';
import { defineReadOperation, type Operation } from '../management/operation.ts';
import { buildOpenApiDocument } from './openapi.ts';
import { runApi } from './test/running-api.ts';

const api = await runApi();
const all = api.operations;
after(() => api.close());
const document: Json = JSON.parse(JSON.stringify(buildOpenApiDocument(all, '1.2.3')));

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const name of path) found = isJsonObject(found) ? found[name] : undefined;
  return found;
}

function members(value: Json | undefined): Json[] {
  return isJsonObject(value) ? Object.values(value).filter((member) => member !== undefined) : [];
}

function* nodes(value: Json): Generator<Json> {
  yield value;
  for (const member of Array.isArray(value) ? value : members(value)) yield* nodes(member);
}

const documentedOperation = (operation: Operation) =>
  at(document, 'paths', operation.path, operation.method.toLowerCase());

test('the document contains exactly the operations of the API, with their names', () => {
  assert.equal(at(document, 'openapi'), '3.1.0');
  for (const operation of all)
    assert.equal(at(documentedOperation(operation), 'operationId'), operation.name);
  const ids = members(at(document, 'paths'))
    .flatMap(members)
    .map((operation) => at(operation, 'operationId'));
  assert.equal(ids.length, all.length);
  assert.equal(new Set(ids).size, ids.length);
});

test('every creation has a Location, except for resources without GET by id', () => {
  const without = all.filter(
    (operation) =>
      operation.status === 201 &&
      at(documentedOperation(operation), 'responses', '201', 'headers', 'Location') === undefined,
  );
  assert.deepEqual(without.map(({ name }) => name).toSorted(), [
    'annotations.create',
    'invitations.create',
    'operators.grant',
    'orgs.create',
  ]);
  const readable = all.filter(({ method, path }) => method === 'GET' && path.endsWith('}'));
  for (const { name, path } of without)
    assert.ok(
      !readable.some((operation) => operation.path.startsWith(`${path}/{`)),
      `${name} can be read by its id`,
    );
});

test('every reference resolves to a component', () => {
  let references = 0;
  for (const node of nodes(document)) {
    const reference = isJsonObject(node) ? node['$ref'] : undefined;
    if (typeof reference !== 'string') continue;
    references += 1;
    assert.ok(reference.startsWith('#/components/schemas/'), reference);
    assert.ok(at(document, ...reference.slice(2).split('/')), reference);
  }
  assert.ok(references > all.length);
});

test('every parameter of a path is declared and required', () => {
  for (const operation of all) {
    const parameters = at(documentedOperation(operation), 'parameters');
    assert.ok(Array.isArray(parameters));
    const declared = parameters
      .filter((parameter) => at(parameter, 'in') === 'path')
      .map((parameter) => {
        assert.equal(at(parameter, 'required'), true);
        return at(parameter, 'name');
      });
    assert.deepEqual(
      declared,
      [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    );
  }
});

test('every operation documents its success, its errors and a body where it takes one', () => {
  for (const operation of all) {
    const documented = documentedOperation(operation);
    const success = at(documented, 'responses', String(operation.status));
    assert.ok(success, operation.name);
    assert.equal(at(success, 'content') === undefined, operation.status === 204);
    assert.equal(
      at(documented, 'responses', 'default', 'content', 'application/json', 'schema', '$ref'),
      '#/components/schemas/Error',
    );
    assert.equal(at(documented, 'requestBody') !== undefined, operation.body !== null);
  }
  assert.ok(at(document, 'components', 'securitySchemes', 'bearer'));
});

test('two different schemas with one name are rejected', () => {
  const testOperation = (name: `a.${string}`, field: string) =>
    defineReadOperation({
      name,
      method: 'GET',
      path: `/api/${name}`,
      scope: null,
      summary: 'An operation of this test.',
      answer: z.object({ [field]: z.string() }).meta({ id: 'Twice' }),
      run: async () => ({ [field]: '' }),
    });
  assert.throws(
    () => buildOpenApiDocument([testOperation('a.first', 'x'), testOperation('a.second', 'y')], '1'),
    /two different schemas are named Twice/,
  );
});

test('the beat endpoints are in the document that the server returns, with their responses', async () => {
  const served: Json = JSON.parse((await api.call('GET', '/api/openapi.json')).text);
  for (const [path, methods] of [
    ['/api/monitoring/heartbeat', ['post']],
    ['/beat/{token}', ['get', 'head', 'post']],
    ['/beat/{token}/{signal}', ['get', 'head', 'post']],
  ] as const) {
    const operations = at(served, 'paths', path);
    assert.deepEqual(isJsonObject(operations) && Object.keys(operations), methods);
    for (const method of methods) {
      const operation = at(operations, method);
      const reference = at(
        operation,
        'responses',
        'default',
        'content',
        'application/json',
        'schema',
        '$ref',
      );
      assert.equal(reference, '#/components/schemas/Error');
      const parameters = at(operation, 'parameters');
      assert.ok(Array.isArray(parameters));
      const inPath = parameters.filter((one) => at(one, 'in') === 'path').map((one) => at(one, 'name'));
      assert.deepEqual(
        inPath,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      );
    }
  }
});

test('clients can be generated: a server, named bodies, documented client errors, and no zod names or formats', async () => {
  const { text } = await api.call('GET', '/api/openapi.json');
  const served: Json = JSON.parse(text);
  const servers = at(served, 'servers');
  assert.ok(Array.isArray(servers) && typeof at(servers[0], 'url') === 'string');
  assert.doesNotMatch(text, /__schema|starts_with/);
  assert.ok(at(served, 'components', 'schemas', 'JsonValue'));
  for (const operation of members(at(served, 'paths')).flatMap(members)) {
    const name = String(at(operation, 'operationId'));
    const body = at(operation, 'requestBody', 'content', 'application/json', 'schema');
    if (body !== undefined)
      assert.match(String(at(body, '$ref')), /^#\/components\/schemas\/[A-Z]\w+$/, name);
    for (const status of ['400', '401', '403', '429'])
      assert.equal(
        at(operation, 'responses', status, 'content', 'application/json', 'schema', '$ref'),
        '#/components/schemas/Error',
        `${name} ${status}`,
      );
  }
  for (const name of ['CreateKeyRequest', 'CreateTeamRequest', 'SendBeatsRequest'])
    assert.ok(at(served, 'components', 'schemas', name), name);
  assert.ok(at(served, 'paths', '/api/monitoring/monitors/{id}', 'patch', 'responses', '412'));
  assert.ok(at(served, 'paths', '/api/monitoring/monitors/{id}', 'get', 'responses', '404'));
});
