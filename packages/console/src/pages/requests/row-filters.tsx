import type { RequestRow } from '@floe/contract/api/analytics';
import { Fragment } from 'react';
import type { FilterToken } from '../../filters/filter-text.ts';
import { describeFilter } from '../../filters/filter-value.ts';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { rowFilters } from './request-fields.ts';

/** Of which row, and beside what. */
export interface RowFilterTarget {
  readonly row: RequestRow;
  readonly beside: HTMLElement;
}

/** More of what a row says, or less of it: the same as a click on a cell with ⌥, for every hand. */
export function RowFilters({
  at: { row, beside },
  onOnly,
  onWithout,
  onClose,
}: {
  readonly at: RowFilterTarget;
  readonly onOnly: (token: FilterToken) => void;
  readonly onWithout: (token: FilterToken) => void;
  readonly onClose: () => void;
}) {
  const { left, top, width, height } = beside.getBoundingClientRect();
  const close = () => {
    onClose();
    (beside.closest<HTMLElement>('[data-row]') ?? beside).focus({ preventScroll: true });
  };
  return (
    <Menu
      onClose={close}
      trigger={
        <span aria-hidden="true" className="pointer-events-none fixed" style={{ left, top, width, height }} />
      }
    >
      {rowFilters(row).map((token, index) => {
        const said = `${token.name} ${describeFilter(token.value).value}`;
        return (
          <Fragment key={token.name}>
            {index > 0 && <MenuSeparator />}
            <MenuItem onSelect={() => onOnly(token)}>Only {said}</MenuItem>
            <MenuItem onSelect={() => onWithout(token)}>Without {said}</MenuItem>
          </Fragment>
        );
      })}
    </Menu>
  );
}
