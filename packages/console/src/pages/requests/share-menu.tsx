import { Download, Link2 } from 'lucide-react';
import { curlLine } from '../../data/api-client.ts';
import { apiUrl } from '../../data/base.ts';
import type { TimeSpan } from '../../filters/time-range.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { tell } from '../../ui/toast.tsx';

/** What can be taken from the list: the link, the same question for a shell, all rows that match. */
export function ShareMenu({
  span,
  filters,
}: {
  readonly span: TimeSpan;
  readonly filters: Readonly<Record<string, string>>;
}) {
  const copy = (text: string, what: string) =>
    copyText(text).then(
      () => tell(`${what} copied`),
      (error: unknown) => tell(error instanceof Error ? error.message : 'Not copied'),
    );
  const absolute = () => {
    const url = new URL(location.href);
    url.searchParams.delete('range');
    url.searchParams.set('from', span.from.toISOString());
    url.searchParams.set('to', span.to.toISOString());
    return url.href;
  };
  return (
    <>
      <Menu trigger={<IconButton icon={Link2} label="Share" />}>
        <MenuItem onSelect={() => void copy(absolute(), 'Link to exactly these')}>
          Copy link to exactly these
        </MenuItem>
        <MenuItem onSelect={() => void copy(location.href, 'Link')}>Copy link to this range</MenuItem>
        <MenuItem onSelect={() => void copy(curlLine('api/analytics/requests', filters), 'API call')}>
          Copy as API call
        </MenuItem>
      </Menu>
      <Menu trigger={<IconButton icon={Download} label="Export" />}>
        <MenuItem onSelect={() => save('csv', filters)}>All that match, CSV</MenuItem>
        <MenuItem onSelect={() => save('ndjson', filters)}>All that match, NDJSON</MenuItem>
      </Menu>
    </>
  );
}

/** The browser saves the answer as it streams; nothing of it is held here. */
function save(format: 'csv' | 'ndjson', filters: Readonly<Record<string, string>>): void {
  const url = apiUrl('api/analytics/export');
  url.search = new URLSearchParams({ ...filters, format }).toString();
  const link = document.createElement('a');
  link.href = url.href;
  link.download = `requests.${format}`;
  link.click();
}
