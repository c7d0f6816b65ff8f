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
import type { RequestList } from './use-request-list.ts';

/** What can be taken from the list: the link, the same question for a shell, all rows that match. */
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
  const number = answer.hasNextPage ? `more than ${formatCount(rows.length)}` : formatCount(rows.length);
  return (
    <>
      <Menu trigger={<IconButton icon={Link2} label="Share" />}>
        <MenuItem
          onSelect={() => copyWithToast(fixed(), 'Link copied. It shows exactly these requests, also later.')}
        >
          Copy link to exactly these
        </MenuItem>
        {label && (
          <MenuItem
            onSelect={() =>
              copyWithToast(
                location.href,
                `Live link copied. It shows the ${label.toLowerCase()} of whenever it is opened.`,
              )
            }
          >
            Copy live link: {label.toLowerCase()}, whenever it is opened
          </MenuItem>
        )}
        <MenuItem
          onSelect={() => copyWithToast(formatCurl('api/analytics/requests', filters), 'API call copied')}
        >
          Copy as API call
        </MenuItem>
      </Menu>
      <Menu trigger={<IconButton icon={Download} label="Export" />}>
        <MenuLabel>All {number} that match, not only those on screen</MenuLabel>
        <MenuItem onSelect={() => save('csv', filters)}>As CSV</MenuItem>
        <MenuItem onSelect={() => save('ndjson', filters)}>As NDJSON, every field</MenuItem>
      </Menu>
    </>
  );
}

/** The browser saves the answer as it streams; nothing of it is held here. */
function save(format: 'csv' | 'ndjson', filters: RequestFilters): void {
  const url = apiUrl('api/analytics/export');
  url.search = formatQueryParameters({ ...filters, format });
  const link = document.createElement('a');
  link.href = url.href;
  link.download = `requests.${format}`;
  link.click();
}
