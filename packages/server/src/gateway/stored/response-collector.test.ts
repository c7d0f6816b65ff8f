import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponseCollector } from './response-collector.ts';

/** An item or response with `count` numbers that JavaScript would write differently. */
const values = (count: number) => `{"id":"x","values":[${'1.10,'.repeat(count)}1]}`;
const itemDone = (item: string) => `{"type":"response.output_item.done","item":${item}}`;
const COMPLETED = '{"type": "response.completed","response":{"id":"resp_1","output":[]}}';
/** A response with this number of values is too complex. */
const TOO_MANY = 330_000;

function collect(...events: readonly string[]): string {
  const collector = new ResponseCollector();
  for (const event of events) collector.add(event);
  return JSON.stringify(collector.response);
}

test('the numbers of a collected response keep their notation', () => {
  const expected = `{"id":"resp_1","output":[${values(2)},${values(1)}]}`;
  assert.equal(collect(itemDone(values(2)), itemDone(values(1)), COMPLETED), expected);
  const whole = `{"id":"resp_1","output":[${values(3)}]}`;
  for (const type of ['completed', 'incomplete'])
    assert.equal(
      collect(itemDone(values(2)), `{"type":"response.${type}","response":${whole}}`),
      whole,
      'the output of the last event takes precedence',
    );
});

test('a response with too many values is not collected, because each later turn would parse it again', () => {
  assert.equal(collect(`{"type":"response.completed","response":${values(TOO_MANY)}}`), 'null');
  assert.equal(collect(itemDone(values(TOO_MANY)), COMPLETED), 'null');
  const half = itemDone(values(TOO_MANY / 2));
  assert.equal(collect(half, half, COMPLETED), 'null');
});

test('a response whose items are too large is not collected', () => {
  const large = itemDone(`{"id":"x","result":"${'a'.repeat(1024 * 1024)}"}`);
  assert.equal(collect(...Array.from({ length: 65 }, () => large), COMPLETED), 'null');
});
