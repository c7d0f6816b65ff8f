import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEW_BOARD_FORM, toBoardBody, updateBoardGroup } from './board-form.ts';

test('a change of one group leaves the others as they are', () => {
  const groups = [
    { key: '0', name: 'A', monitors: ['x'] },
    { key: '1', name: 'B', monitors: [] },
  ];
  const after = updateBoardGroup(groups, '1', { monitors: ['y'] });
  assert.deepEqual(after, [groups[0], { key: '1', name: 'B', monitors: ['y'] }]);
});

test('a board without a name takes its address as one, and without a zone that of the org', () => {
  const body = toBoardBody({ ...NEW_BOARD_FORM, name: '  ' });
  assert.deepEqual([body.name, body.timezone, body.slug], ['status', null, 'status']);
});
