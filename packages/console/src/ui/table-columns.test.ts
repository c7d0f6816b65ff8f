import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatColumnSelection,
  getNextSortParameter,
  listVisibleColumns,
  parseSort,
  selectFittingColumns,
  sortRows,
  type TableColumn,
} from './table-columns.ts';

interface Row {
  readonly n: number | null;
}
const COLUMNS: readonly TableColumn<Row>[] = [
  { id: 'n', label: 'N', width: '1fr', cell: () => null, value: ({ n }) => n },
  { id: 'm', label: 'M', width: '1fr', cell: () => null, optional: true },
];
const ids = (cols: string | null) => listVisibleColumns(COLUMNS, cols).map(({ id }) => id);

test('a link shows the columns it names in its order, and the usual ones when it names none that exist', () => {
  assert.deepEqual(ids(null), ['n']);
  assert.deepEqual(ids('m,n'), ['m', 'n']);
  assert.deepEqual(ids('gone'), ['n']);
  assert.equal(formatColumnSelection(COLUMNS, ['n']), null);
  assert.equal(formatColumnSelection(COLUMNS, ['n', 'm']), 'n,m');
});

test('a column is sorted up, then down, then as it came', () => {
  const first = getNextSortParameter(null, 'n');
  const second = getNextSortParameter(parseSort(first), 'n');
  assert.deepEqual([first, second, getNextSortParameter(parseSort(second), 'n')], ['n', '-n', null]);
});

test('where not all columns fit, those that yield go one by one, and the others stay however narrow it is', () => {
  const column = { label: '', cell: () => null };
  const columns: readonly TableColumn<Row>[] = [
    { ...column, id: 'name', width: 'minmax(6rem, 1fr)' },
    { ...column, id: 'source', width: '8rem', yields: 2 },
    { ...column, id: 'mode', width: '5rem', yields: 1 },
  ];
  const at = (rem: number) => selectFittingColumns(columns, rem).map(({ id }) => id);
  assert.deepEqual(at(25), ['name', 'source', 'mode']);
  assert.deepEqual(at(24.9), ['name', 'mode']);
  assert.deepEqual(at(15.4), ['name']);
  assert.deepEqual(at(0), ['name']);
});

test('rows without a value come last in both directions', () => {
  const rows = [{ n: 2 }, { n: null }, { n: 10 }];
  assert.deepEqual(
    sortRows(rows, COLUMNS, parseSort('n')).map(({ n }) => n),
    [2, 10, null],
  );
  assert.deepEqual(
    sortRows(rows, COLUMNS, parseSort('-n')).map(({ n }) => n),
    [10, 2, null],
  );
});
