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

type CacheState = z.output<typeof cacheResource>;
type CacheStats = z.output<typeof cacheStats>;

const PATH = 'api/management/cache';
const TOUCHES = [['cache']];

/** Whether equal requests are answered from earlier answers, and what that saved. */
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
    <PageFrame title="Cache" actions={<EmptyCache stats={stats.data} />}>
      {error && !data ? (
        <ErrorState what="Could not load the cache." error={error} onRetry={() => void refetch()} />
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

const NOTHING = { hits: 0, misses: 0, bypassed: 0, saved_nano_usd: 0 };

function Figures({ stats, enabled }: { readonly stats: CacheStats | undefined; readonly enabled: boolean }) {
  const { hits, misses, bypassed, saved_nano_usd: saved } = stats?.last_day ?? NOTHING;
  const asked = hits + misses;
  return (
    <StatStrip>
      <StatCard
        label="Hit rate, 24 h"
        value={stats && asked > 0 ? formatPercent(hits / asked) : '–'}
        remark={
          enabled || asked > 0
            ? `of ${formatCount(asked)} that could be answered from it`
            : 'the cache is off'
        }
      />
      <StatCard
        label="Saved, 24 h"
        value={stats ? formatMoney(saved) : '–'}
        remark="at the price of each answer"
      />
      <StatCard label="Answered from it" value={stats ? formatCount(hits) : '–'} />
      <StatCard label="Had to be asked" value={stats ? formatCount(misses) : '–'} />
      <StatCard
        label="Went past it"
        value={stats ? formatCount(bypassed) : '–'}
        remark="the client asked for that"
      />
      <StatCard
        label="Kept answers"
        value={stats?.entries === null || stats === undefined ? '–' : formatCompact(stats.entries)}
        remark={
          stats?.entries === null
            ? 'kept by Redis'
            : `${formatCompact(Math.round((stats?.bytes ?? 0) / 1024))} KiB here`
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
  { value: 'key', label: 'Each key with itself' },
  { value: 'org', label: 'The whole org' },
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
    done: ({ enabled }) =>
      showToast(enabled ? 'The cache answers equal requests from now on.' : 'The cache is off.'),
  });
  const { form, set } = edit;
  return (
    <Card title="How answers are kept">
      <EditForm edit={edit} source={read.body.source} verb="Save cache">
        <Switch
          label="Answer equal requests from earlier answers"
          hint="Only whole, successful answers are kept, and only for requests that are equal to the last byte that matters."
          checked={form.enabled}
          onChange={(enabled) => set({ enabled })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField name="ttl_seconds" label="Reuse an answer for (seconds)">
            <Input
              inputMode="numeric"
              value={form.ttl_seconds}
              onChange={({ target }) => set({ ttl_seconds: target.value })}
            />
          </FormField>
          <FormField name="scope" label="Who shares answers">
            <Select
              choices={SCOPES}
              value={form.scope}
              onChange={({ target }) => set({ scope: target.value === 'org' ? 'org' : 'key' })}
            />
          </FormField>
        </div>
        <p className="text-ui text-ink-2">
          A client can ask past it or renew an answer, request by request.{' '}
          <OrgLink to="/requests" search={{ state: 'cached', range: '24h' }}>
            Requests answered from the cache
          </OrgLink>
        </p>
      </EditForm>
    </Card>
  );
}

/** Everything kept is thrown away: what is asked next is paid for again. */
function EmptyCache({ stats }: { readonly stats: CacheStats | undefined }) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button needs="management" onClick={() => setAsked(true)}>
        Empty…
      </Button>
      {asked && (
        <ConfirmChange
          make={() => sendJson<null>('POST', `${PATH}/purge`)}
          touches={TOUCHES}
          onDone={() => {
            setAsked(false);
            showToast('The cache is empty.');
          }}
          onClose={() => setAsked(false)}
          title="Empty the cache?"
          verb="Empty cache"
          typed="empty"
        >
          {stats?.entries === null || stats === undefined
            ? 'Every kept answer of this org is thrown away.'
            : `${formatCount(stats.entries)} kept answers of this process, and those of all others, are thrown away.`}{' '}
          {stats && stats.last_day.hits > 0
            ? `In the last 24 hours ${formatCount(stats.last_day.hits)} requests were answered from it, worth ${formatMoney(stats.last_day.saved_nano_usd)}; the next of them are asked and paid for again.`
            : 'The next equal requests are asked and paid for again.'}
        </ConfirmChange>
      )}
    </>
  );
}
