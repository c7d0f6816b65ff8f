import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boardBody, moved, NEW_BOARD, withGroup } from './board-form.ts';

test('an entry moves up, down and to the ends, and nothing is lost on the way', () => {
  const list = ['a', 'b', 'c', 'd'];
  for (let from = 0; from < list.length; from += 1)
    for (let to = 0; to < list.length; to += 1) {
      const after = moved(list, from, to);
      assert.equal(after[to], list[from]);
      assert.deepEqual(after.toSorted(), list);
    }
  assert.deepEqual([moved(list, 0, -1), moved(list, 3, 4), moved(list, 9, 0)], [list, list, list]);
});

test('a change of one group leaves the others as they are', () => {
  const groups = [
    { name: 'A', monitors: ['x'] },
    { name: 'B', monitors: [] },
  ];
  const after = withGroup(groups, 1, { monitors: ['y'] });
  assert.deepEqual(after, [groups[0], { name: 'B', monitors: ['y'] }]);
});

test('a board without a name takes its address as one, and without a zone that of the org', () => {
  const body = boardBody({ ...NEW_BOARD, name: '  ' });
  assert.deepEqual(['name' in body, body.timezone, body.slug], [false, null, 'status']);
});
