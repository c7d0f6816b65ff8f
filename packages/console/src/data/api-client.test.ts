import assert from 'node:assert/strict';
import { test } from 'node:test';

test('the deletion of something that no longer exists succeeds, whatever its error code, and other errors do not', async (t) => {
  const page = { document: { baseURI: 'http://floe.example/' }, location: { pathname: '/' } };
  Object.assign(globalThis, page);
  const { sendJson } = await import('./api-client.ts');
  const answers: readonly (readonly ['DELETE' | 'PATCH', number, string, boolean])[] = [
    ['DELETE', 404, 'not_found', true],
    ['DELETE', 404, 'monitor_not_found', true],
    ['DELETE', 409, 'conflict', false],
    ['PATCH', 404, 'not_found', false],
  ];
  for (const [method, status, code, succeeds] of answers) {
    t.mock.method(globalThis, 'fetch', async () =>
      Response.json({ error: { code, message: 'm' } }, { status }),
    );
    const sent = sendJson(method, 'api/monitoring/monitors/mon_1');
    if (succeeds) assert.equal(await sent, null, code);
    else await assert.rejects(sent, { code });
  }
});
