import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactStreamEvent, parseStreamEvent } from './stream-event-json.ts';

/** An event of more than 90,000 characters with `depth` levels. */
const nested = (depth: number) =>
  `{"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},"input":[1.50,${'-0,'.repeat(30_000)}0]}`;

test('the numbers of a long event are not kept exactly if the complexity of the event is unknown', () => {
  // With an exact parser, each of these numbers costs a thousand times as much as with `JSON.parse`.
  assert.equal(JSON.stringify(parseExactStreamEvent(nested(500))), nested(500));
  assert.equal(parseExactStreamEvent(nested(513)), undefined);
  assert.equal(parseStreamEvent(nested(513), ['"input"']), undefined);
  assert.notEqual(parseStreamEvent(nested(513), ['"other"']), undefined);
});
