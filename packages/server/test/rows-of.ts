import assert from 'node:assert/strict';
import { isObject, type JsonObject } from '@floe/contract/json';
import { call } from '@floe/testkit/client';

/** A row is readable within a tenth of a second; every question takes the server about a millisecond. */
const ROW_QUESTIONS = 2000;

/** The rows of these request ids, once all of them are written. `url` is the server's own. */
export async function rowsOf(
  url: string,
  key: string,
  ids: readonly string[],
): Promise<Map<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  for (const id of ids) {
    for (let asked = 0; !found.has(id); asked++) {
      assert.ok(asked < ROW_QUESTIONS, `no row of ${id}`);
      const answer = await call(`${url}/api/analytics/requests/${id}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const row: unknown = answer.json();
      if (answer.status === 200 && isObject(row)) found.set(id, row);
    }
  }
  return found;
}
