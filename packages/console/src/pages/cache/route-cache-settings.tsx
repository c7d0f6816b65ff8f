import { OrgLink } from '../../app/org-link.tsx';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { buildResourceApiPath } from '../../data/resource-kind.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Card } from '../../ui/cards.tsx';
import { ErrorState } from '../../ui/feedback.tsx';
import { Select } from '../../ui/field.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { showToast } from '../../ui/toast.tsx';
import {
  parseRouteCacheOption,
  ROUTE_CACHE_OPTIONS,
  ROUTE_RESOURCE_KIND,
  type Route,
} from '../routes/route-form.ts';
import { cacheText } from './text.ts';

/** Lists the routes with their cache settings. These settings override the organization default. */
export function RouteCacheSettings({ enabled }: { readonly enabled: boolean }) {
  const { rows, answer } = useListRows(buildListQuery<Route>('routes', ROUTE_RESOURCE_KIND.path));
  if (rows) return <RouteList rows={rows} enabled={enabled} />;
  if (!answer.error) return null;
  return (
    <Card title={cacheText.routes.title}>
      <ErrorState
        what={cacheText.routes.loadFailed}
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    </Card>
  );
}

function RouteList({ rows, enabled }: { readonly rows: readonly Route[]; readonly enabled: boolean }) {
  const refusal = useDenialReason('management');
  const put = useApiMutation(
    ({ id, cache }: { readonly id: string; readonly cache: 'on' | 'off' | null }) =>
      sendJson<Route>('PATCH', buildResourceApiPath(ROUTE_RESOURCE_KIND, id), { cache }),
    {
      touches: ROUTE_RESOURCE_KIND.touches,
      done: ({ id, cache }) => showToast(cacheText.routes.saved[cache ?? 'default'](id)),
    },
  );
  return (
    <Card title={cacheText.routes.title}>
      {rows.length === 0 ? (
        <p className="text-ui text-ink-2">
          {cacheText.routes.empty}{' '}
          <OrgLink to="/management/routes/new" needs="management">
            {cacheText.routes.create}
          </OrgLink>
          {cacheText.routes.emptyEffect}
        </p>
      ) : (
        <ul className="grid gap-2 text-ui">
          {rows.map((route) => (
            <li
              key={route.id}
              className="grid items-center gap-x-3 gap-y-1 sm:grid-cols-[minmax(0,1fr)_14rem]"
            >
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
                aria-label={cacheText.routes.label(route.model)}
                choices={ROUTE_CACHE_OPTIONS}
                value={route.cache ?? ''}
                disabled={route.source.kind === 'file' || refusal !== null || put.running}
                onChange={({ target }) =>
                  put.run({ id: route.id, cache: parseRouteCacheOption(target.value) || null })
                }
              />
            </li>
          ))}
        </ul>
      )}
      {put.error && <p className="mt-2 text-small text-failing-ink">{put.error.message}</p>}
      <p className="mt-3 text-small text-ink-2">
        {cacheText.routes.hint(enabled)}
        {rows.length > 0 && ` ${cacheText.routes.immediate}`}
      </p>
    </Card>
  );
}
