import { Download, Link2 } from 'lucide-react';
import { formatCurl, formatQueryParameters } from '../../data/api-client.ts';
import { apiUrl } from '../../data/base.ts';
import { timeRangeLabel } from '../../filters/time-range.ts';
import { formatCount } from '../../format/amounts.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyWithToast } from '../../ui/copy-button.tsx';
import { Menu, MenuItem, MenuLabel } from '../../ui/menu.tsx';
import type { RequestFilters } from './request-data.ts';
import { fixedTimeRange } from './request-rows.ts';
import { text } from './text.ts';
import type { RequestList } from './use-request-list.ts';

/** Copies a link or an API call, and exports all matching rows. */
export function ShareMenu({ list }: { readonly list: RequestList }) {
  const { span, filters, rows, answer } = list;
  const fixed = () => {
    const { from, to } = fixedTimeRange(span, rows[0], new Date());
    const url = new URL(location.href);
    for (const name of ['range', 'live']) url.searchParams.delete(name);
    url.searchParams.set('from', from.toISOString());
    url.searchParams.set('to', to.toISOString());
    return url.href;
  };
  const label = timeRangeLabel(span);
  const number = answer.hasNextPage
    ? text.export.moreThan(formatCount(rows.length))
    : formatCount(rows.length);
  return (
    <>
      <Menu trigger={<IconButton icon={Link2} label={text.share.label} />}>
        <MenuItem onSelect={() => copyWithToast(fixed(), text.share.fixedLinkCopied)}>
          {text.share.fixedLink}
        </MenuItem>
        {label && (
          <MenuItem
            onSelect={() => copyWithToast(location.href, text.share.liveLinkCopied(label.toLowerCase()))}
          >
            {text.share.liveLink(label.toLowerCase())}
          </MenuItem>
        )}
        <MenuItem
          onSelect={() =>
            copyWithToast(formatCurl('api/analytics/requests', filters), text.share.apiCallCopied)
          }
        >
          {text.share.apiCall}
        </MenuItem>
      </Menu>
      <Menu trigger={<IconButton icon={Download} label={text.export.label} />}>
        <MenuLabel>{text.export.matching(number)}</MenuLabel>
        <MenuItem onSelect={() => save('csv', filters)}>{text.export.csv}</MenuItem>
        <MenuItem onSelect={() => save('ndjson', filters)}>{text.export.ndjson}</MenuItem>
      </Menu>
    </>
  );
}

/** The browser saves the export while it streams; the page does not buffer it. */
function save(format: 'csv' | 'ndjson', filters: RequestFilters): void {
  const url = apiUrl('api/analytics/export');
  url.search = formatQueryParameters({ ...filters, format });
  const link = document.createElement('a');
  link.href = url.href;
  link.download = `requests.${format}`;
  link.click();
}
