import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { useListRows } from '../data/lists.ts';
import type { PermissionAction } from '../data/permissions.ts';
import { Button } from '../ui/button.tsx';
import type { DataTableProps } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/feedback.tsx';
import { QueryResults } from '../ui/query-results.tsx';
import { parseSort, sortRows, type TableColumn } from '../ui/table-columns.ts';
import { PageFrame } from './page-frame.tsx';
import { useShortcuts } from './shortcuts.ts';
import { useUrlState } from './url-state.ts';

interface ListPageProps<Row> {
  /** Page title, such as `Limits`. */
  readonly title: string;
  /** Name of one resource in lowercase, such as `limit`. */
  readonly one: string;
  readonly needs?: PermissionAction;
  readonly list: ReturnType<typeof useListRows<Row>>;
  /** Returns the identifier to use in links to a row. Absent if it is the row’s ID. */
  readonly idOf?: (row: Row) => string;
  readonly columns: readonly TableColumn<Row>[];
  /** IDs of the columns that stay visible while the drawer is open. */
  readonly besideDrawer?: ReadonlySet<string>;
  readonly card: DataTableProps<Row>['card'];
  /** Renders the drawer for a row ID, or for `new`. */
  readonly drawer?: (id: string, onOpen: (id: string) => void, onClose: () => void) => ReactNode;
  /** Opens the row’s own page instead of a drawer. Also called with `new`. */
  readonly onOpen?: (id: string) => void;
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  readonly empty: { readonly title: string; readonly text: ReactNode; readonly more?: ReactNode };
}

/**
 * Renders a page that lists resources. A button and the key `c` create a resource. A row opens in a drawer or
 * on its own page. If there are no rows, the page shows an empty state.
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
  useShortcuts([{ keys: 'c', does: `Create ${one}`, run: () => open('new'), needs }]);
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
      Create {one}
    </Button>
  );
}
