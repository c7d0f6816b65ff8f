import assert from 'node:assert/strict';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';

/** The rows of these request ids, once all of them are written. `url` is the server's own. */
export async function waitForRows(
  url: string,
  key: string,
  ids: readonly string[],
): Promise<Map<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  for (const id of ids) {
    const row = await eventually(async () => {
      const answer = await callHttp(`${url}/api/analytics/requests/${id}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.equal(answer.status, 200, `the row of ${id}: ${answer.text}`);
      const read: unknown = answer.json();
      return isJsonObject(read) ? read : undefined;
    });
    found.set(id, row);
  }
  return found;
}
