import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBoardFormValues, toBoardBody, updateBoardGroup } from './board-form.ts';

test('a change of one group leaves the others as they are', () => {
  const groups = [
    { key: '0', name: 'A', monitors: ['x'] },
    { key: '1', name: 'B', monitors: [] },
  ];
  const after = updateBoardGroup(groups, '1', { monitors: ['y'] });
  assert.deepEqual(after, [groups[0], { key: '1', name: 'B', monitors: ['y'] }]);
});

test('a board without a name takes its address as one, and without a zone that of the org', () => {
  const body = toBoardBody({ ...createBoardFormValues([]), name: '  ' });
  assert.deepEqual([body.name, body.timezone, body.slug], ['status', null, 'status']);
});

test('the URL path of a new board is not the one of another board', () => {
  const boards = [{ slug: 'status' }, { slug: 'status-2' }, { slug: 'internal' }];
  assert.equal(createBoardFormValues(boards).slug, 'status-3');
  assert.equal(createBoardFormValues([]).slug, 'status');
});
