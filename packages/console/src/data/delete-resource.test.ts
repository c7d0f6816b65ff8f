import assert from 'node:assert/strict';
import { test } from 'node:test';

/** The responses to the deletion and to the list of the resources, and whether the deletion succeeds. */
const CASES = [
  ['deleted', [204, null], null, true],
  ['deleted earlier', [404, 'not_found'], [200, null], true],
  ['deleted earlier, with an error code of the resource', [404, 'monitor_not_found'], [200, null], true],
  ['no endpoint at this path', [404, 'not_found'], [404, 'not_found'], false],
  ['organization deleted', [404, 'not_found'], [404, 'not_found'], false],
  ['session ended', [404, 'not_found'], [401, 'missing_api_key'], false],
  ['in use', [409, 'conflict'], null, false],
] as const;

test('a missing resource counts as deleted, but a missing endpoint or organization does not', async (t) => {
  const page = {
    document: { baseURI: 'http://floe.example/' },
    location: { pathname: '/' },
    addEventListener: () => undefined,
  };
  Object.assign(globalThis, page);
  const { deleteResource } = await import('./delete-resource.ts');
  for (const [name, deletion, list, succeeds] of CASES) {
    t.mock.method(globalThis, 'fetch', async (url: URL, { method }: { readonly method: string }) => {
      assert.equal(url.pathname, `/api/monitoring/monitors${method === 'GET' ? '' : '/mon_1'}`, name);
      const [status, code] = method === 'GET' ? (list ?? assert.fail(name)) : deletion;
      if (status === 204) return new Response(null, { status });
      return Response.json(code === null ? { data: [] } : { error: { code, message: 'm' } }, { status });
    });
    const sent = deleteResource('api/monitoring/monitors/mon_1');
    if (succeeds) await sent;
    else await assert.rejects(sent, { code: deletion[1] }, name);
  }
});
