import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleMonitor } from './example-monitor.ts';
import { listRowIdsBetween, mergeMonitorPages, replaceMonitorRows } from './monitor-rows.ts';

const monitor = (id: string, name = id) => createExampleMonitor({ id, name });
const page = (...ids: string[]) => ({ data: ids.map((id) => monitor(id)), next_cursor: null });
const list = { pages: [page('a', 'b'), page('c', 'd')], pageParams: ['', 'x'] };

test('a row that moved from a later page to an earlier one stands in the list once', () => {
  assert.deepEqual(
    mergeMonitorPages([page('a', 'b'), page('b', 'c')]).map(({ id }) => id),
    ['a', 'b', 'c'],
  );
});

test('what was read anew is changed where it stands, and what is gone goes, without moving the others', () => {
  const found = replaceMonitorRows(list, ['b', 'c'], [monitor('c', 'Renamed')]);
  assert.deepEqual(
    mergeMonitorPages(found.pages).map(({ name }) => name),
    ['a', 'Renamed', 'd'],
  );
  assert.equal(found.pages.length, 2);
});

test('a range goes from the row chosen last to this one, upwards too', () => {
  const rows = mergeMonitorPages(list.pages);
  assert.deepEqual(listRowIdsBetween(rows, 'a', 'c'), ['a', 'b', 'c']);
  assert.deepEqual(listRowIdsBetween(rows, 'd', 'b'), ['b', 'c', 'd']);
  assert.deepEqual(listRowIdsBetween(rows, null, 'b'), ['b']);
});
