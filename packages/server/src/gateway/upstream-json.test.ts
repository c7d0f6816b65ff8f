import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { parseUpstreamJson } from './upstream-json.ts';

/** A response of more than 1 MB with `depth` levels. */
const nested = (depth: number) =>
  Buffer.from(
    `{"text":"${'a'.repeat(1_000_000)}","deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},"n":1.50}`,
  );

test('a long response with more than 512 levels is not parsed, because its complexity is unknown', () => {
  assert.equal(JSON.stringify(parseUpstreamJson(nested(512))), nested(512).toString());
  assert.throws(() => parseUpstreamJson(nested(513)), {
    code: 'upstream_error',
    message: /is not valid JSON, or is nested deeper than 512 levels/,
  });
});
