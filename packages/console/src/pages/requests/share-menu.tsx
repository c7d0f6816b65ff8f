import { Download, Link2 } from 'lucide-react';
import { startDownload } from '../../data/download.ts';
import { formatCurl } from '../../data/format-curl.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { formatTimeRangeLabel } from '../../filters/time-range.ts';
import { formatCount } from '../../format/amounts.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyWithToast } from '../../ui/copy-button.tsx';
import { Menu, MenuItem, MenuLabel } from '../../ui/menu.tsx';
import { requestListMenusText } from './request-list-menus-text.ts';
import { toAbsoluteTimeRange } from './request-rows.ts';
import type { RequestList } from './use-request-list.ts';

/** Renders a menu that copies a link or an API call, or exports all matching requests. */
export function ShareMenu({ list }: { readonly list: RequestList }) {
  const { span, filters, rows, answer } = list;
  const fixed = () => {
    const { from, to } = toAbsoluteTimeRange(span, rows[0], getCurrentTime());
    const url = new URL(location.href);
    for (const name of ['range', 'live']) url.searchParams.delete(name);
    url.searchParams.set('from', from.toISOString());
    url.searchParams.set('to', to.toISOString());
    return url.href;
  };
  const save = (format: 'csv' | 'ndjson') =>
    startDownload('api/analytics/export', `requests.${format}`, { ...filters, format });
  const label = formatTimeRangeLabel(span);
  const number = answer.hasNextPage
    ? requestListMenusText.export.moreThan(formatCount(rows.length))
    : formatCount(rows.length);
  return (
    <>
      <Menu trigger={<IconButton icon={Link2} label={requestListMenusText.share.label} />}>
        <MenuItem onSelect={() => copyWithToast(fixed(), requestListMenusText.share.fixedLinkCopied)}>
          {requestListMenusText.share.fixedLink}
        </MenuItem>
        {label && (
          <MenuItem
            onSelect={() =>
              copyWithToast(location.href, requestListMenusText.share.liveLinkCopied(label.toLowerCase()))
            }
          >
            {requestListMenusText.share.liveLink(label.toLowerCase())}
          </MenuItem>
        )}
        <MenuItem
          onSelect={() =>
            copyWithToast(
              formatCurl('api/analytics/requests', filters),
              requestListMenusText.share.apiCallCopied,
            )
          }
        >
          {requestListMenusText.share.apiCall}
        </MenuItem>
      </Menu>
      <Menu trigger={<IconButton icon={Download} label={requestListMenusText.export.label} />}>
        <MenuLabel>{requestListMenusText.export.matching(number)}</MenuLabel>
        <MenuItem onSelect={() => save('csv')}>{requestListMenusText.export.csv}</MenuItem>
        <MenuItem onSelect={() => save('ndjson')}>{requestListMenusText.export.ndjson}</MenuItem>
      </Menu>
    </>
  );
}
