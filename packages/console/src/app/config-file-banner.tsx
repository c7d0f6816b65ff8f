import type { configFileStatus } from '@floe/contract/api/config';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from '../data/api-client.ts';
import { useRefetchOnEvent } from '../data/use-refetch-on-event.ts';
import { useEventStreamState } from '../data/use-server-events.ts';
import { formatCountWithNoun } from '../format/words.ts';
import { RelativeTimeText } from '../ui/relative-time-text.tsx';
import { ErrorBanner } from './error-banner.tsx';
import { OrgLink } from './org-link.tsx';

type ConfigFile = z.output<typeof configFileStatus>;

/** Interval in milliseconds between checks while the event stream is unavailable. */
const LOOK_MS = 10_000;

const fileQuery = queryOptions({
  queryKey: ['config', 'file'],
  queryFn: ({ signal }) => getJson<ConfigFile>('api/management/config/file', undefined, signal),
});

/**
 * Renders a banner on all pages if the latest version of floe.yaml was rejected, because the running
 * configuration then differs from the file.
 */
export function ConfigFileBanner() {
  const live = useEventStreamState() === 'live';
  const { data } = useQuery({ ...fileQuery, refetchInterval: live ? false : LOOK_MS });
  useRefetchOnEvent('config', fileQuery.queryKey);
  const refused = data?.rejected;
  if (!data || !refused) return null;
  const [first] = refused.problems;
  const more = refused.problems.length - 1;
  const reason = sentence(
    first ? [first.where, first.message].filter(Boolean).join(': ') : 'the file could not be read',
  );
  return (
    <ErrorBanner
      text={
        <>
          <code className="font-mono text-code">
            {data.file ?? 'floe.yaml'}
            {first?.line != null && `:${first.line}`}
          </code>{' '}
          was rejected: {reason}
          {more > 0 && ` ${formatCountWithNoun(more, 'more problem was', 'more problems were')} found.`} The
          running configuration was loaded <RelativeTimeText at={data.loaded_at} />.
        </>
      }
    >
      <OrgLink to="/management/settings/configuration" className="text-accent-ink underline">
        View problems
      </OrgLink>
    </ErrorBanner>
  );
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
