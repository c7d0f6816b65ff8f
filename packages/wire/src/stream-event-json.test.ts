import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactStreamEvent, parseStreamEvent } from './stream-event-json.ts';

/** An event of more than 90,000 characters with `depth` levels. */
const nested = (depth: number) =>
  `{"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},"input":[1.50,${'-0,'.repeat(30_000)}0]}`;

test('the numbers of a long event are not kept exactly if the complexity of the event is unknown', () => {
  assert.equal(JSON.stringify(parseExactStreamEvent(nested(500))), nested(500));
  assert.ok(parseExactStreamEvent(nested(513)) === undefined);
  assert.ok(parseStreamEvent(nested(513), ['"input"']) === undefined);
  assert.ok(parseStreamEvent(nested(513), ['"other"']) !== undefined);
});
