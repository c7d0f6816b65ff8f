import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IncomingRequestBodies } from './incoming-request-bodies.ts';

test('above the maximum, the oldest body of the organization that has the most is rejected', () => {
  const bodies = new IncomingRequestBodies(4);
  const evicted: string[] = [];
  const add = (orgId: string, name: string) => {
    const body = { evict: () => void evicted.push(name) };
    bodies.add(orgId, body);
    return body;
  };
  add('slow', 'slow 1');
  const second = add('slow', 'slow 2');
  add('slow', 'slow 3');
  add('other', 'other 1');
  assert.deepEqual(evicted, []);
  add('other', 'other 2');
  assert.deepEqual(evicted, ['slow 1']);
  bodies.delete('slow', second);
  bodies.delete('slow', second);
  add('slow', 'slow 4');
  assert.deepEqual(evicted, ['slow 1']);
  add('third', 'third 1');
  assert.deepEqual(evicted, ['slow 1', 'slow 3']);
});
