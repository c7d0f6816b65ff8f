import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { setPreviousResponseId } from './set-previous-response-id.ts';

test('only the previous response id of a response changes', () => {
  const answer = Buffer.from('{"id": "r", "previous_response_id": null, "temperature": 1.0}');
  const expected = '{"id": "r", "previous_response_id": "p", "temperature": 1.0}';
  assert.equal(setPreviousResponseId(answer, 'p').toString(), expected);
});

test('an invalid response is an error of the provider and not of the client', () => {
  for (const answer of ['', '{"id":"r","outp', '{"id":"r","id":"s"}', '{"Model":"m"}', '[]', '\xff'])
    assert.throws(
      () => setPreviousResponseId(Buffer.from(answer, 'latin1'), 'p'),
      (error) => error instanceof Fault && error.code === 'upstream_error',
      answer,
    );
});
