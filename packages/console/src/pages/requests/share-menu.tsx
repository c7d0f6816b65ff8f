import { Download, Link2 } from 'lucide-react';
import { formatCurl, formatQueryParameters } from '../../data/api-client.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { formatTimeRangeLabel } from '../../filters/time-range.ts';
import { formatCount } from '../../format/amounts.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyWithToast } from '../../ui/copy-button.tsx';
import { Menu, MenuItem, MenuLabel } from '../../ui/menu.tsx';
import { listMenusText } from './list-menus-text.ts';
import type { RequestFilters } from './request-data.ts';
import { toFixedTimeRange } from './request-rows.ts';
import type { RequestList } from './use-request-list.ts';

/** Renders a menu that copies a link or an API call, or exports all matching requests. */
export function ShareMenu({ list }: { readonly list: RequestList }) {
  const { span, filters, rows, answer } = list;
  const fixed = () => {
    const { from, to } = toFixedTimeRange(span, rows[0], new Date());
    const url = new URL(location.href);
    for (const name of ['range', 'live']) url.searchParams.delete(name);
    url.searchParams.set('from', from.toISOString());
    url.searchParams.set('to', to.toISOString());
    return url.href;
  };
  const label = formatTimeRangeLabel(span);
  const number = answer.hasNextPage
    ? listMenusText.export.moreThan(formatCount(rows.length))
    : formatCount(rows.length);
  return (
    <>
      <Menu trigger={<IconButton icon={Link2} label={listMenusText.share.label} />}>
        <MenuItem onSelect={() => copyWithToast(fixed(), listMenusText.share.fixedLinkCopied)}>
          {listMenusText.share.fixedLink}
        </MenuItem>
        {label && (
          <MenuItem
            onSelect={() =>
              copyWithToast(location.href, listMenusText.share.liveLinkCopied(label.toLowerCase()))
            }
          >
            {listMenusText.share.liveLink(label.toLowerCase())}
          </MenuItem>
        )}
        <MenuItem
          onSelect={() =>
            copyWithToast(formatCurl('api/analytics/requests', filters), listMenusText.share.apiCallCopied)
          }
        >
          {listMenusText.share.apiCall}
        </MenuItem>
      </Menu>
      <Menu trigger={<IconButton icon={Download} label={listMenusText.export.label} />}>
        <MenuLabel>{listMenusText.export.matching(number)}</MenuLabel>
        <MenuItem onSelect={() => save('csv', filters)}>{listMenusText.export.csv}</MenuItem>
        <MenuItem onSelect={() => save('ndjson', filters)}>{listMenusText.export.ndjson}</MenuItem>
      </Menu>
    </>
  );
}

/** Starts the export. The browser saves the response while it streams, so the page does not buffer it. */
function save(format: 'csv' | 'ndjson', filters: RequestFilters): void {
  const url = buildApiUrl('api/analytics/export');
  url.search = formatQueryParameters({ ...filters, format });
  const link = document.createElement('a');
  link.href = url.href;
  link.download = `requests.${format}`;
  link.click();
}
