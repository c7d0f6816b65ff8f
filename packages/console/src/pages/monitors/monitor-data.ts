import type {
  CheckResource,
  MonitorStatusSummary,
  monitorPeriodResource,
  uptimeReport,
} from '@floe/contract/api/monitor-history';
import type { BulkMonitorResult, bulkMonitorPatch, Monitor } from '@floe/contract/api/monitors';
import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import type * as z from 'zod';
import { type ApiPage, getJson, getJsonWithETag, sendJson } from '../../data/api-client.ts';
import { buildDownloadUrl } from '../../data/download.ts';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import type { FilterField } from '../../filters/filter-text.ts';
import { getBrowserTimeZone } from '../../format/times.ts';
import type { SelectOption } from '../../ui/field.tsx';
import type { AlertResource } from '../channels/channel-data.ts';
import {
  type MonitorFormValues,
  toMonitorBody,
  toMonitorFormValues,
  toMonitorUpdateBody,
} from './monitor-form.ts';
import { type LoadedMonitorPages, replaceMonitorRows } from './monitor-rows.ts';
import { monitorsText } from './text.ts';

/** A time span in which the monitor had the same status. */
export type MonitorPeriod = z.output<typeof monitorPeriodResource>;
/** The uptime and downtime of a monitor in a time range. */
export type MonitorUptime = z.output<typeof uptimeReport>;

/** The filter fields of the monitor list. Their names are the query parameters of the API. */
export const MONITOR_FILTER_FIELDS: readonly FilterField[] = [
  { name: 'status', label: monitorsText.filters.status, values: ['failing', 'waiting', 'paused', 'healthy'] },
  { name: 'tag', label: monitorsText.filters.tag },
  { name: 'channel', label: monitorsText.filters.channel },
  { name: 'source', label: monitorsText.filters.source, values: ['file', 'console'] },
  { name: 'search', label: monitorsText.filters.search },
];

const MONITORS_PATH = 'api/monitoring/monitors';

/** The resource kind of monitors. The editor and the delete dialog use it. */
export const MONITOR_RESOURCE_KIND: ConsoleResourceKind<Monitor, MonitorFormValues> = {
  one: monitorsText.page.resource,
  path: MONITORS_PATH,
  touches: [
    ['monitors', 'settings'],
    ['monitors', 'one'],
    ['monitors', 'status'],
  ],
  needs: 'monitoring',
  formOf: (monitor) => toMonitorFormValues(monitor, getBrowserTimeZone()),
  bodyOf: toMonitorBody,
  changeOf: toMonitorUpdateBody,
  removal: ({ id, name }) => ({
    title: monitorsText.actions.deleteTitle(name),
    effect: monitorsText.actions.deleteEffect,
    typed: id,
  }),
};

const PAGE_ROWS = 100;
/** The maximum number of IDs that the server accepts in one request. */
const MAX_IDS = 100;

/** Returns the API path of a monitor, or of a path below it. */
export function buildMonitorApiPath(id: string, tail = ''): string {
  return `${MONITORS_PATH}/${encodeURIComponent(id)}${tail}`;
}

/**
 * Returns the query for the monitors, page by page, most urgent first. The query never becomes stale, because
 * refetching it would need one request per page. `refreshMonitors` updates single rows instead.
 */
export function buildMonitorsQuery(filters: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    queryKey: [...MONITOR_LISTS_KEY, filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<ApiPage<Monitor>>(
        MONITORS_PATH,
        { ...filters, sort: 'urgency', limit: PAGE_ROWS, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const MONITOR_LISTS_KEY = ['monitors', 'list'] as const;

/** Refetches some monitors and updates their rows in all loaded lists. */
export async function refreshMonitors(client: QueryClient, ids: readonly string[]): Promise<void> {
  const { data } = await getJson<ApiPage<Monitor>>(MONITORS_PATH, { ids: ids.join(), limit: MAX_IDS });
  replaceCachedMonitors(client, ids, data);
}

/** Updates the rows of some monitors in all loaded lists. The rows keep their positions. */
export function replaceCachedMonitors(
  client: QueryClient,
  ids: readonly string[],
  fresh: readonly Monitor[],
): void {
  client.setQueriesData<LoadedMonitorPages>(
    { queryKey: MONITOR_LISTS_KEY },
    (list) => list && replaceMonitorRows(list, ids, fresh),
  );
}

/** Removes the loaded lists that are not displayed. They load again when they are next displayed. */
export function removeInactiveMonitorLists(client: QueryClient): void {
  client.removeQueries({ queryKey: MONITOR_LISTS_KEY, type: 'inactive' });
}

/** Returns the query for the monitors whose name or ID contains `search`, at most 50. */
export function buildMonitorOptionsQuery(search: string) {
  return queryOptions({
    queryKey: ['monitors', 'choices', search],
    queryFn: ({ signal }) => getJson<ApiPage<Monitor>>(MONITORS_PATH, { search, limit: 50 }, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

/** Returns select options for the monitors that earlier searches have found. */
export function getCachedMonitorOptions(client: QueryClient): readonly SelectOption[] {
  const pages = client.getQueriesData<ApiPage<Monitor>>({ queryKey: ['monitors', 'choices'] });
  const names = new Map(
    pages.flatMap(([, page]) => (page?.data ?? []).map(({ id, name }) => [id, name] as const)),
  );
  return [...names].map(([value, label]) => ({ value, label }));
}

/** Returns the query for the names of monitors by ID. Omits monitors that no longer exist. */
export function buildMonitorNamesQuery(ids: readonly string[]) {
  return queryOptions({
    queryKey: ['monitors', 'names', ids.toSorted().join()],
    queryFn: async ({ signal }) => {
      const blocks = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, nth) =>
        ids.slice(nth * MAX_IDS, (nth + 1) * MAX_IDS).join(),
      );
      const pages = await Promise.all(
        blocks.map((some) => getJson<ApiPage<Monitor>>(MONITORS_PATH, { ids: some, limit: MAX_IDS }, signal)),
      );
      return new Map(pages.flatMap(({ data }) => data.map(({ id, name }) => [id, name] as const)));
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

/** A change that can be applied to many monitors. */
export type BulkMonitorChange = Omit<z.input<typeof bulkMonitorPatch>, 'ids'>;

/** Applies a change to any number of monitors, in requests of up to 100. */
export async function updateMonitors(
  ids: readonly string[],
  change: BulkMonitorChange,
): Promise<BulkMonitorResult> {
  const answers: BulkMonitorResult[] = [];
  for (let at = 0; at < ids.length; at += MAX_IDS)
    answers.push(
      await sendJson<BulkMonitorResult>('PATCH', MONITORS_PATH, {
        ids: ids.slice(at, at + MAX_IDS),
        ...change,
      }),
    );
  return {
    changed: answers.flatMap(({ changed }) => changed),
    unchanged: answers.flatMap(({ unchanged }) => unchanged),
    failed: answers.flatMap(({ failed }) => failed),
  };
}

/**
 * Returns the query for the number of monitors with each status, and for the status history of the given
 * monitors in the last day.
 */
export function buildMonitorStatusSummaryQuery(ids: readonly string[]) {
  return queryOptions({
    queryKey: ['monitors', 'status', ids.join()],
    queryFn: ({ signal }) =>
      getJson<MonitorStatusSummary>('api/monitoring/status', { monitors: ids.join() }, signal),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

/** Returns the query for one monitor, whose result contains the ETag that the next update must send. */
export function buildMonitorQuery(id: string) {
  return queryOptions({
    queryKey: ['monitors', 'one', id],
    queryFn: ({ signal }) => getJsonWithETag<Monitor>(buildMonitorApiPath(id), signal),
  });
}

/** Returns the query for the uptime of a monitor in the last `days` days. */
export function buildUptimeQuery(id: string, days: number) {
  return queryOptions({
    queryKey: ['monitors', 'one', id, 'uptime', days],
    queryFn: ({ signal }) =>
      getJson<MonitorUptime>(buildMonitorApiPath(id, '/uptime'), { from: daysAgo(days) }, signal),
  });
}

/**
 * Returns the query for the periods of a monitor in the last `days` days, newest first. The response contains
 * at most 500 periods.
 */
export function buildPeriodsQuery(id: string, days: number) {
  return queryOptions({
    queryKey: ['monitors', 'one', id, 'periods', days],
    queryFn: ({ signal }) =>
      getJson<ApiPage<MonitorPeriod>>(
        buildMonitorApiPath(id, '/periods'),
        { from: daysAgo(days), limit: 500 },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
}

/** The filters of the check history. */
export interface CheckFilters {
  readonly status: string | null;
  /** Start of the time range in ISO format, or null for all stored data. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns the query for the checks of a monitor, page by page, newest first. */
export function buildChecksQuery(id: string, filters: CheckFilters) {
  return infiniteQueryOptions({
    queryKey: ['monitors', 'one', id, 'checks', filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<ApiPage<CheckResource>>(
        buildMonitorApiPath(id, '/checks'),
        { ...filters, limit: 50, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Returns the URL at which the checks of a monitor can be downloaded as CSV. */
export function buildChecksExportUrl(id: string): string {
  return buildDownloadUrl(buildMonitorApiPath(id, '/checks/export'), { format: 'csv' });
}

/** Returns the query for the five newest alerts of a monitor. */
export function buildMonitorAlertsQuery(id: string) {
  return queryOptions({
    queryKey: ['alerts', 'of', id],
    queryFn: ({ signal }) =>
      getJson<ApiPage<AlertResource>>('api/monitoring/alerts', { subject: id, limit: 5 }, signal),
  });
}

/** Returns the time some days ago in ISO format, for the start of a time range. */
export function daysAgo(days: number): string {
  // Rounded to the minute, so that queries in quick succession have the same key.
  return new Date(Math.floor(getCurrentTime().getTime() / 60_000) * 60_000 - days * 86_400_000).toISOString();
}
