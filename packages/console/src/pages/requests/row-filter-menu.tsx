import type { RequestRow } from '@floe/contract/api/analytics';
import { Fragment } from 'react';
import type { FilterToken } from '../../filters/filter-text.ts';
import { describeFilterValue, formatFilterValue } from '../../filters/filter-value.ts';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { listRowFilters } from './request-fields.ts';
import { requestListMenusText } from './request-list-menus-text.ts';

/** A row, and the element next to which its filter menu opens. */
export interface RowFilterAnchor {
  readonly row: RequestRow;
  readonly beside: HTMLElement;
}

/**
 * Renders a menu of filters that include or exclude the values of a row. A click on a cell while ⌥ (Alt) is
 * held also excludes its value.
 */
export function RowFilterMenu({
  at: { row, beside },
  onOnly,
  onWithout,
  onClose,
}: {
  readonly at: RowFilterAnchor;
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
      {listRowFilters(row).map((token, index) => {
        const filter = `${token.name} ${describeFilterValue(token.value).value}`;
        return (
          <Fragment key={token.name}>
            {index > 0 && <MenuSeparator />}
            <MenuItem onSelect={() => onOnly({ ...token, value: formatFilterValue([token.value]) })}>
              {requestListMenusText.rowFilters.only(filter)}
            </MenuItem>
            <MenuItem onSelect={() => onWithout(token)}>
              {requestListMenusText.rowFilters.exclude(filter)}
            </MenuItem>
          </Fragment>
        );
      })}
    </Menu>
  );
}
