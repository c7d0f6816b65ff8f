import { OrgLink } from '../../app/org-link.tsx';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { resourcePath } from '../../data/resource-kind.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Card } from '../../ui/cards.tsx';
import { Select } from '../../ui/field.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { showToast } from '../../ui/toast.tsx';
import { CACHE_CHOICES, cacheChoice, ROUTES, type Route } from '../routes/route-form.ts';

/** Which routes are cached although the org is not, or the other way round. */
export function CacheRoutes({ enabled }: { readonly enabled: boolean }) {
  const { rows } = useRows(listQuery<Route>('routes', ROUTES.path));
  const refusal = useDenialReason('management');
  const put = useApiMutation(
    ({ id, cache }: { readonly id: string; readonly cache: 'on' | 'off' | null }) =>
      sendJson<Route>('PATCH', resourcePath(ROUTES, id), { cache }),
    { touches: ROUTES.touches, done: ({ id, cache }) => showToast(`${id}: ${WORDS[cache ?? '']}.`) },
  );
  if (!rows) return null;
  return (
    <Card title="Route by route">
      {rows.length === 0 ? (
        <p className="text-ui text-ink-2">
          No routes yet. <OrgLink to="/management/routes/new">Make one</OrgLink> to cache its model alone.
        </p>
      ) : (
        <ul className="grid gap-2 text-ui">
          {rows.map((route) => (
            <li key={route.id} className="grid grid-cols-[minmax(0,1fr)_14rem] items-center gap-3">
              <span className="flex min-w-0 items-center gap-2">
                <OrgLink
                  to={`/management/routes/${encodeURIComponent(route.id)}`}
                  className="truncate text-accent-ink underlined"
                >
                  {route.model}
                </OrgLink>
                {route.source.kind === 'file' && <SourceBadge source={route.source} />}
              </span>
              <Select
                aria-label={`Cache of ${route.model}`}
                choices={CACHE_CHOICES}
                value={route.cache ?? ''}
                disabled={route.source.kind === 'file' || refusal !== null || put.running}
                onChange={({ target }) => put.run({ id: route.id, cache: cacheChoice(target.value) || null })}
              />
            </li>
          ))}
        </ul>
      )}
      {put.error && <p className="mt-2 text-small text-failing-ink">{put.error.message}</p>}
      <p className="mt-3 text-small text-ink-2">
        As the org says means {enabled ? 'on' : 'off'} now. What no route matches does as the org says too.
      </p>
    </Card>
  );
}

const WORDS = { '': 'cached as the org says', on: 'answered from the cache', off: 'never from the cache' };
