import { Columns3 } from 'lucide-react';
import { IconButton } from './button.tsx';
import { Menu, MenuCheckboxItem, MenuLabel } from './menu.tsx';
import { formatColumnSelection, type TableColumn } from './table-columns.ts';

/** Renders a menu that selects the columns of a list. The selection is stored in the URL. */
export function ColumnMenu<Row>({
  columns,
  shown,
  onChange,
}: {
  readonly columns: readonly TableColumn<Row>[];
  readonly shown: readonly TableColumn<Row>[];
  readonly onChange: (cols: string | null) => void;
}) {
  const chosen = shown.map(({ id }) => id);
  const toggle = (id: string, on: boolean) => {
    const next = on ? [...chosen, id] : chosen.filter((other) => other !== id);
    onChange(formatColumnSelection(columns, next));
  };
  return (
    <Menu trigger={<IconButton icon={Columns3} label="Choose columns" />}>
      <MenuLabel>Columns</MenuLabel>
      {columns.map(({ id, label }) => (
        <MenuCheckboxItem key={id} checked={chosen.includes(id)} onChange={(on) => toggle(id, on)}>
          {label}
        </MenuCheckboxItem>
      ))}
    </Menu>
  );
}
