import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { ResponseCollector } from './response-collector.ts';

/** The data of an event of this type with `count` numbers that JavaScript would write differently. */
function eventData(type: string, count: number): string {
  const member = type === 'response.output_item.done' ? 'item' : 'response';
  return `{"type":"${type}","${member}":{"id":"x","values":[${'1.10,'.repeat(count)}1]}}`;
}

test('the numbers of a collected response keep their notation', () => {
  const collector = new ResponseCollector();
  collector.add(eventData('response.output_item.done', 2));
  collector.add('{"type":"response.completed","response":{"id":"resp_1"}}');
  const response = '{"id":"resp_1","output":[{"id":"x","values":[1.10,1.10,1]}]}';
  assert.equal(JSON.stringify(collector.response), response);
});

test('an event with too many values is an error, because each later turn would parse it again', () => {
  for (const type of ['response.output_item.done', 'response.completed', 'response.incomplete'])
    assert.throws(
      () => new ResponseCollector().add(eventData(type, 40_000)),
      (error) => error instanceof Fault && error.code === 'upstream_error',
      type,
    );
});
