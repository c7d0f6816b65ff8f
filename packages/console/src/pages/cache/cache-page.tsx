import type { cacheResource, cacheStats } from '@floe/contract/api/cache';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type * as z from 'zod';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { getJson, getWithETag, sendJson, type WithETag } from '../../data/api-client.ts';
import { useEdit } from '../../data/edit.ts';
import { useLiveQuery } from '../../data/events.ts';
import { formatCompact, formatCount, formatMoney, formatPercent } from '../../format/amounts.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { pluralize } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { Card, StatStrip } from '../../ui/cards.tsx';
import { ConfirmChange } from '../../ui/confirm-change.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { CacheChart } from './cache-chart.tsx';
import { CacheRoutes } from './cache-routes.tsx';
import { text } from './text.ts';

type CacheState = z.output<typeof cacheResource>;
type CacheStats = z.output<typeof cacheStats>;

const PATH = 'api/management/cache';
const TOUCHES = [['cache']];

/** The settings of the response cache, its hit rate and what it saved. */
export function CachePage() {
  useLiveQuery('config', ['cache']);
  const { data, error, refetch } = useQuery({
    queryKey: ['cache', 'state'],
    queryFn: ({ signal }) => getWithETag<CacheState>(PATH, signal),
  });
  const stats = useQuery({
    queryKey: ['cache', 'stats'],
    queryFn: ({ signal }) => getJson<CacheStats>(`${PATH}/stats`, undefined, signal),
    refetchInterval: 10_000,
  });
  return (
    <PageFrame title={text.page.title} actions={<ClearCacheButton stats={stats.data} />}>
      {error && !data ? (
        <ErrorState what={text.page.loadFailed} error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-64" />
      ) : (
        <div className="grid max-w-5xl gap-4">
          <Figures stats={stats.data} enabled={data.body.enabled} />
          <CacheChart />
          <Settings read={data} />
          <CacheRoutes enabled={data.body.enabled} />
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
        label={text.figures.hitRate}
        value={stats && cacheable > 0 ? formatPercent(hits / cacheable) : text.figures.none}
        remark={
          enabled || cacheable > 0
            ? text.figures.cacheable(pluralize(cacheable, text.figures.request))
            : text.figures.disabled
        }
      />
      <StatCard
        label={text.figures.saved}
        value={stats ? formatMoney(saved) : text.figures.none}
        remark={text.figures.savedHint}
      />
      <StatCard label={text.figures.hits} value={stats ? formatCount(hits) : text.figures.none} />
      <StatCard label={text.figures.misses} value={stats ? formatCount(misses) : text.figures.none} />
      <StatCard
        label={text.figures.bypassed}
        value={stats ? formatCount(bypassed) : text.figures.none}
        remark={text.figures.bypassedHint}
      />
      <StatCard
        label={text.figures.entries}
        value={
          stats?.entries === null || stats === undefined ? text.figures.none : formatCompact(stats.entries)
        }
        remark={
          stats?.entries === null
            ? text.figures.inRedis
            : text.figures.inProcess(formatCompact(Math.round((stats?.bytes ?? 0) / 1024)))
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
  { value: 'key', label: text.settings.scopes.key },
  { value: 'org', label: text.settings.scopes.org },
] as const;

const formOf = ({ enabled, ttl_seconds, scope }: CacheState): CacheForm => ({
  enabled,
  ttl_seconds: formatNumberField(ttl_seconds),
  scope,
});

function Settings({ read }: { readonly read: WithETag<CacheState> }) {
  const edit = useEdit<CacheState, CacheForm>({
    path: PATH,
    read,
    formOf,
    write: ({ enabled, ttl_seconds, scope }) => ({
      enabled,
      ttl_seconds: parseNumberField(ttl_seconds),
      scope,
    }),
    touches: TOUCHES,
    done: ({ enabled }) => showToast(enabled ? text.settings.enabledToast : text.settings.disabledToast),
  });
  const { form, set } = edit;
  return (
    <Card title={text.settings.title}>
      <EditForm edit={edit} source={read.body.source} verb={text.settings.save}>
        <Switch
          label={text.settings.enabled}
          hint={text.settings.enabledHint}
          checked={form.enabled}
          onChange={(enabled) => set({ enabled })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField name="ttl_seconds" label={text.settings.ttl} hint={text.settings.ttlHint}>
            <Input
              inputMode="numeric"
              value={form.ttl_seconds}
              onChange={({ target }) => set({ ttl_seconds: target.value })}
            />
          </FormField>
          <FormField name="scope" label={text.settings.scope} hint={text.settings.scopeHint}>
            <Select
              choices={SCOPES}
              value={form.scope}
              onChange={({ target }) => set({ scope: target.value === 'org' ? 'org' : 'key' })}
            />
          </FormField>
        </div>
        <p className="text-ui text-ink-2">
          {text.settings.clientControl}{' '}
          <OrgLink to="/requests" search={{ state: 'cached', range: '24h' }}>
            {text.settings.requests}
          </OrgLink>
        </p>
      </EditForm>
    </Card>
  );
}

/** Deletes all stored responses after a confirmation. */
function ClearCacheButton({ stats }: { readonly stats: CacheStats | undefined }) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button needs="management" onClick={() => setAsked(true)}>
        {text.clear.button}
      </Button>
      {asked && (
        <ConfirmChange
          make={() => sendJson<null>('POST', `${PATH}/purge`)}
          touches={TOUCHES}
          onDone={() => {
            setAsked(false);
            showToast(text.clear.done);
          }}
          onClose={() => setAsked(false)}
          title={text.clear.title}
          verb={text.clear.verb}
          typed={text.clear.typed}
        >
          {stats?.entries === null || stats === undefined
            ? text.clear.all
            : text.clear.counted(formatCount(stats.entries))}
          {stats && stats.last_day.hits > 0
            ? text.clear.recentHits(
                pluralize(stats.last_day.hits, text.clear.request),
                formatMoney(stats.last_day.saved_nano_usd),
              )
            : text.clear.noHits}
        </ConfirmChange>
      )}
    </>
  );
}
