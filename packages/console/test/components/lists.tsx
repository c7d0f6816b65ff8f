import { useEffect, useState } from 'react';
import { ApiError } from '../../src/data/api-error.ts';
import { Button } from '../../src/ui/button.tsx';
import { ColumnMenu } from '../../src/ui/column-menu.tsx';
import { DataTable } from '../../src/ui/data-table.tsx';
import { EmptyState, ErrorState, Notice, SkeletonRows } from '../../src/ui/feedback.tsx';
import { LoadMoreButton } from '../../src/ui/load-more-button.tsx';
import { SortableList } from '../../src/ui/sortable-list.tsx';
import { listVisibleColumns, parseSort, sortRows, type TableColumn } from '../../src/ui/table-columns.ts';
import { useReportLog } from './report-log.tsx';

const LOADING_MORE = { exists: true, isLoading: true, error: null };

interface Row {
  readonly id: string;
  readonly cost: number;
}

const ROWS: readonly Row[] = Array.from({ length: 200 }, (_, index) => ({
  id: `row-${index}`,
  cost: (index * 7) % 200,
}));
const COLUMNS: readonly TableColumn<Row>[] = [
  { id: 'id', label: 'Id', width: 'minmax(8rem, 1fr)', cell: ({ id }) => id },
  {
    id: 'cost',
    label: 'Cost',
    width: '8rem',
    align: 'end',
    cell: ({ cost }) => cost,
    value: ({ cost }) => cost,
  },
  { id: 'source', label: 'Source', width: '8rem', cell: () => 'file', optional: true },
];

export function DataTables() {
  const [told, tell] = useReportLog();
  const [cols, setCols] = useState<string | null>(null);
  const [text, setText] = useState<string | null>(null);
  const [stale, setStale] = useState(false);
  const sort = parseSort(text);
  const columns = listVisibleColumns(COLUMNS, cols);
  return (
    <main data-scroll className="h-full overflow-y-auto">
      <ColumnMenu columns={COLUMNS} shown={columns} onChange={setCols} />
      <Button onClick={() => setStale(!stale)}>Ask again</Button>
      {told}
      <DataTable
        label="Costs"
        rows={sortRows(ROWS, COLUMNS, sort)}
        rowId={({ id }) => id}
        columns={columns}
        card={({ id, cost }) => `${id} costs ${cost}`}
        onOpen={({ id }) => tell(`opened ${id}`)}
        sort={sort}
        onSort={setText}
        stale={stale}
        total={ROWS.length}
      />
    </main>
  );
}

export function MovingRows() {
  const [told, tell] = useReportLog();
  const [rows, setRows] = useState(ROWS.slice(30, 60));
  useEffect(() => {
    const arrive = () => setRows((before) => [...ROWS.slice(0, 30), ...before]);
    window.addEventListener('arrive', arrive);
    return () => window.removeEventListener('arrive', arrive);
  }, []);
  return (
    <main data-scroll className="h-full overflow-y-auto">
      {told}
      <DataTable
        label="Costs"
        rows={rows}
        rowId={({ id }) => id}
        columns={COLUMNS}
        card={({ id }) => id}
        onOpen={({ id }) => tell(`opened ${id}`)}
      />
    </main>
  );
}

export function ListStates() {
  const [told, tell] = useReportLog();
  const error = new ApiError({
    status: 503,
    code: 'store_unavailable',
    message: 'The database does not respond.',
    requestId: 'exc_states',
  });
  return (
    <main>
      <h1>States</h1>
      <EmptyState title="No limits yet" action={<Button onClick={() => tell('made')}>Create limit</Button>}>
        A limit refuses requests.
      </EmptyState>
      <ErrorState what="Could not load limits." error={error} onRetry={() => tell('retried')} />
      <ErrorState what="Could not draw." error={new Error('x is undefined')} />
      <SkeletonRows rows={3} />
      <Notice>Some rows are missing.</Notice>
      <LoadMoreButton nextPage={{ ...LOADING_MORE, load: () => tell('more') }} />
      <LoadMoreButton nextPage={{ ...LOADING_MORE, exists: false, load: () => tell('never') }} />
      {told}
    </main>
  );
}

export function SortedLists() {
  const [items, setItems] = useState<readonly string[]>(['first', 'second', 'third']);
  return (
    <main>
      <SortableList
        label="Targets"
        items={items}
        itemKey={(item) => item}
        nameOf={(item) => item}
        onChange={setItems}
      >
        {(item) => item}
      </SortableList>
    </main>
  );
}
