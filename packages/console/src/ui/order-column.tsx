import { ArrowDown, ArrowUp } from 'lucide-react';
import { sendJson } from '../data/api-client.ts';
import { useApiMutation } from '../data/api-mutation.ts';
import { buildResourceApiPath } from '../data/resource-kind.ts';
import { IconButton } from './button.tsx';
import type { ResourceSource } from './source-badge.tsx';
import type { TableColumn } from './table-columns.ts';

interface Ordered {
  readonly id: string;
  readonly position: number;
  readonly source: ResourceSource;
}

/**
 * Returns a column with buttons that move rows up and down in an ordered list, and the error of the last
 * move.
 */
export function useOrderColumn<Row extends Ordered>(
  kind: { readonly path: string; readonly touches: readonly (readonly unknown[])[] },
  rows: readonly Row[] | undefined,
) {
  const move = useApiMutation(
    ({ id, position }: { readonly id: string; readonly position: number }) =>
      sendJson<Row>('PATCH', buildResourceApiPath(kind, id), { position }),
    { touches: kind.touches },
  );
  const own = rows?.filter(({ source }) => source.kind === 'console') ?? [];
  const column: TableColumn<Row> = {
    id: 'order',
    label: 'Order',
    width: '4.5rem',
    cell: ({ id, position, source }) =>
      source.kind === 'file' ? (
        <span className="text-ink-3">–</span>
      ) : (
        <span className="flex">
          <IconButton
            icon={ArrowUp}
            label={`Move ${id} up`}
            needs="management"
            disabled={own[0]?.id === id}
            onClick={() => move.run({ id, position: position - 1 })}
          />
          <IconButton
            icon={ArrowDown}
            label={`Move ${id} down`}
            needs="management"
            disabled={own.at(-1)?.id === id}
            onClick={() => move.run({ id, position: position + 1 })}
          />
        </span>
      ),
  };
  return { column, error: move.error };
}

/**
 * Renders a text above an ordered list that explains what the order determines, and the error of the last move.
 */
export function OrderNotice({
  rows,
  error,
  children,
}: {
  readonly rows: readonly unknown[] | undefined;
  readonly error: Error | null;
  readonly children: string;
}) {
  return (
    <>
      {rows && rows.length > 0 && <p className="px-4 pb-3 text-ui text-ink-2 md:px-6">{children}</p>}
      {error && <p className="px-4 pb-3 text-ui text-failing-ink md:px-6">{error.message}</p>}
    </>
  );
}
