import type { cacheSettingsResource, cacheStats } from '@floe/contract/api/cache';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type * as z from 'zod';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { getJson, getJsonWithETag, type ResourceWithETag, sendJson } from '../../data/api-client.ts';
import { usePatchForm } from '../../data/use-patch-form.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { formatCompactNumber, formatCount, formatMoney, formatPercent } from '../../format/amounts.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { Card, StatStrip } from '../../ui/cards.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { CacheChart } from './cache-chart.tsx';
import { RouteCacheSettings } from './route-cache-settings.tsx';
import { cacheText } from './text.ts';

type CacheState = z.output<typeof cacheSettingsResource>;
type CacheStats = z.output<typeof cacheStats>;

const PATH = 'api/management/cache';
const TOUCHES = [['cache']];

/** Shows the settings of the response cache, its hit rate and its savings. */
export function CachePage() {
  useRefetchOnEvent('config', ['cache']);
  const { data, error, refetch } = useQuery({
    queryKey: ['cache', 'state'],
    queryFn: ({ signal }) => getJsonWithETag<CacheState>(PATH, signal),
  });
  const stats = useQuery({
    queryKey: ['cache', 'stats'],
    queryFn: ({ signal }) => getJson<CacheStats>(`${PATH}/stats`, undefined, signal),
    refetchInterval: 10_000,
  });
  return (
    <PageFrame title={cacheText.page.title} actions={<ClearCacheButton stats={stats.data} />}>
      {error && !data ? (
        <ErrorState what={cacheText.page.loadFailed} error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-64" />
      ) : (
        <div className="grid max-w-5xl gap-4">
          {stats.error && !stats.data ? (
            <ErrorState
              what={cacheText.figures.loadFailed}
              error={stats.error}
              onRetry={() => void stats.refetch()}
            />
          ) : (
            <Figures stats={stats.data} enabled={data.body.enabled} />
          )}
          <CacheChart />
          <Settings loaded={data} />
          <RouteCacheSettings enabled={data.body.enabled} />
        </div>
      )}
    </PageFrame>
  );
}

const NO_STATS = { hits: 0, misses: 0, bypassed: 0, saved_nano_usd: 0 };

function Figures({ stats, enabled }: { readonly stats: CacheStats | undefined; readonly enabled: boolean }) {
  const { hits, misses, bypassed, saved_nano_usd: saved } = stats?.last_day ?? NO_STATS;
  const cacheable = hits + misses;
  return (
    <StatStrip>
      <StatCard
        label={cacheText.figures.hitRate}
        value={stats && cacheable > 0 ? formatPercent(hits / cacheable) : cacheText.figures.none}
        remark={
          stats && (enabled || cacheable > 0)
            ? cacheText.figures.cacheable(formatCountWithNoun(cacheable, cacheText.figures.request))
            : !enabled && cacheText.figures.disabled
        }
      />
      <StatCard
        label={cacheText.figures.saved}
        value={stats ? formatMoney(saved) : cacheText.figures.none}
        remark={cacheText.figures.savedHint}
      />
      <StatCard label={cacheText.figures.hits} value={stats ? formatCount(hits) : cacheText.figures.none} />
      <StatCard
        label={cacheText.figures.misses}
        value={stats ? formatCount(misses) : cacheText.figures.none}
      />
      <StatCard
        label={cacheText.figures.bypassed}
        value={stats ? formatCount(bypassed) : cacheText.figures.none}
        remark={cacheText.figures.bypassedHint}
      />
      <StatCard
        label={cacheText.figures.entries}
        value={
          stats?.entries === null || stats === undefined
            ? cacheText.figures.none
            : formatCompactNumber(stats.entries)
        }
        remark={
          stats &&
          (stats.entries === null
            ? cacheText.figures.inRedis
            : cacheText.figures.inProcess(formatCompactNumber(Math.round((stats.bytes ?? 0) / 1024))))
        }
      />
    </StatStrip>
  );
}

interface CacheForm {
  readonly enabled: boolean;
  readonly ttl_seconds: string;
  readonly scope: 'org' | 'key';
}

const SCOPES = [
  { value: 'key', label: cacheText.settings.scopes.key },
  { value: 'org', label: cacheText.settings.scopes.org },
] as const;

const formOf = ({ enabled, ttl_seconds, scope }: CacheState): CacheForm => ({
  enabled,
  ttl_seconds: formatNumberField(ttl_seconds),
  scope,
});

function Settings({ loaded }: { readonly loaded: ResourceWithETag<CacheState> }) {
  const edit = usePatchForm<CacheState, CacheForm>({
    path: PATH,
    loaded,
    formOf,
    write: ({ enabled, ttl_seconds, scope }) => ({
      enabled,
      ttl_seconds: parseNumberField(ttl_seconds),
      scope,
    }),
    touches: TOUCHES,
    done: ({ enabled }) =>
      showToast(enabled ? cacheText.settings.enabledToast : cacheText.settings.disabledToast),
  });
  const { form, set } = edit;
  return (
    <Card title={cacheText.settings.title}>
      <EditForm edit={edit} source={loaded.body.source} verb={cacheText.settings.save}>
        <Switch
          label={cacheText.settings.enabled}
          hint={cacheText.settings.enabledHint}
          checked={form.enabled}
          onChange={(enabled) => set({ enabled })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField name="ttl_seconds" label={cacheText.settings.ttl} hint={cacheText.settings.ttlHint}>
            <Input
              inputMode="numeric"
              value={form.ttl_seconds}
              onChange={({ target }) => set({ ttl_seconds: target.value })}
            />
          </FormField>
          <FormField name="scope" label={cacheText.settings.scope} hint={cacheText.settings.scopeHint}>
            <Select
              choices={SCOPES}
              value={form.scope}
              onChange={({ target }) => set({ scope: target.value === 'org' ? 'org' : 'key' })}
            />
          </FormField>
        </div>
        <p className="text-ui text-ink-2">
          {cacheText.settings.clientControl}{' '}
          <OrgLink to="/requests" search={{ state: 'cached', range: '24h' }}>
            {cacheText.settings.requests}
          </OrgLink>
        </p>
      </EditForm>
    </Card>
  );
}

/** Deletes all cached responses after a confirmation. */
function ClearCacheButton({ stats }: { readonly stats: CacheStats | undefined }) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button needs="management" onClick={() => setAsked(true)}>
        {cacheText.clear.button}
      </Button>
      {asked && (
        <ConfirmChangeDialog
          sendChange={() => sendJson<null>('POST', `${PATH}/purge`)}
          touches={TOUCHES}
          onDone={() => {
            setAsked(false);
            showToast(cacheText.clear.done);
          }}
          onClose={() => setAsked(false)}
          title={cacheText.clear.title}
          verb={cacheText.clear.verb}
          typed={cacheText.clear.typed}
        >
          {stats?.entries === null || stats === undefined
            ? cacheText.clear.all
            : cacheText.clear.counted(formatCountWithNoun(stats.entries, cacheText.clear.response))}
          {stats && stats.last_day.hits > 0
            ? cacheText.clear.recentHits(
                formatCountWithNoun(stats.last_day.hits, cacheText.clear.request),
                formatMoney(stats.last_day.saved_nano_usd),
              )
            : cacheText.clear.noHits}
        </ConfirmChangeDialog>
      )}
    </>
  );
}
