import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { useListRows } from '../data/lists.ts';
import type { PermissionAction } from '../data/permissions.ts';
import { useDenialReason } from '../data/use-denial-reason.ts';
import { Button } from '../ui/button.tsx';
import type { DataTableProps } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/feedback.tsx';
import { QueryResults } from '../ui/query-results.tsx';
import { parseSort, sortRows, type TableColumn } from '../ui/table-columns.ts';
import { PageFrame } from './page-frame.tsx';
import { useShortcuts } from './shortcuts.ts';
import { useUrlState } from './url-state.ts';

interface ListPageProps<Row> {
  /** `Limits` */
  readonly title: string;
  /** `limit` */
  readonly one: string;
  readonly needs?: PermissionAction;
  readonly list: ReturnType<typeof useListRows<Row>>;
  /** What stands in links to a row, where that is not its id. */
  readonly idOf?: (row: Row) => string;
  readonly columns: readonly TableColumn<Row>[];
  /** Columns that fit beside the drawer. */
  readonly besideDrawer?: ReadonlySet<string>;
  readonly card: DataTableProps<Row>['card'];
  /** Shows the row of an id, or `new`, beside the list. */
  readonly drawer?: (id: string, onOpen: (id: string) => void, onClose: () => void) => ReactNode;
  /** Where rows have a page of their own: goes there, `new` included. */
  readonly onOpen?: (id: string) => void;
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  readonly empty: { readonly title: string; readonly text: ReactNode; readonly more?: ReactNode };
}

/**
 * A page that lists what people make: with `c` and a button to make another, rows that open beside the list or on a
 * page of their own, and what stands there while there are none.
 */
export function ListPage<Row extends { readonly id: string }>({
  idOf = ({ id }) => id,
  title,
  one,
  needs = 'management',
  list,
  columns,
  besideDrawer,
  card,
  drawer,
  onOpen,
  above,
  below,
  empty,
}: ListPageProps<Row>) {
  const { query, change } = useUrlState();
  const opened = drawer ? query.get('open') : null;
  const open = onOpen ?? ((id: string) => change({ open: id }));
  const refusal = useDenialReason(needs);
  useShortcuts([{ keys: 'c', does: `New ${one}`, run: () => refusal === null && open('new') }]);
  const fitting = opened === null ? undefined : besideDrawer;
  const sort = parseSort(query.get('sort'));
  const sortable = columns.some(({ value }) => value !== undefined);
  const add = <NewButton one={one} needs={needs} onClick={() => open('new')} />;
  const beside = opened === null ? null : drawer?.(opened, open, () => change({ open: null }));
  return (
    <PageFrame title={title} padded={false} actions={add} beside={beside}>
      {above}
      <QueryResults
        list={list}
        what={title.toLowerCase()}
        label={title}
        shown={sortRows(list.rows ?? [], columns, sort)}
        rowId={idOf}
        columns={fitting ? columns.filter(({ id }) => fitting.has(id)) : columns}
        card={card}
        onOpen={(row) => open(idOf(row))}
        openId={opened}
        {...(sortable && { sort, onSort: (next: string | null) => change({ sort: next }, 'replace') })}
        empty={
          <EmptyState
            title={empty.title}
            action={
              <>
                {add}
                {empty.more}
              </>
            }
          >
            {empty.text}
          </EmptyState>
        }
      />
      {below}
    </PageFrame>
  );
}

function NewButton({
  one,
  ...props
}: Pick<ListPageProps<never>, 'one' | 'needs'> & { readonly onClick: () => void }) {
  return (
    <Button look="primary" icon={Plus} {...props}>
      New {one}
    </Button>
  );
}
