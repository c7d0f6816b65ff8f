import type { AuditEntry } from '@floe/contract/api/audit';
import type { Board } from '@floe/contract/api/boards';
import type { Channel } from '@floe/contract/api/channels';
import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import type {
  CheckResource,
  MonitorSummary,
  periodResource,
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
import { type ApiPage, getJson, getWithETag, sendJson } from '../../data/api-client.ts';
import { apiUrl } from '../../data/base-url.ts';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import type { FilterField } from '../../filters/filter-text.ts';
import { browserZone } from '../../format/times.ts';
import type { SelectOption } from '../../ui/field.tsx';
import type { ConsoleAlert } from '../channels/channel-data.ts';
import { type MonitorForm, toMonitorBody, toMonitorForm, toMonitorUpdateBody } from './monitor-form.ts';
import { type MonitorPages, replaceRows } from './monitor-rows.ts';
import { monitorsText } from './text.ts';

export type MonitorPeriod = z.output<typeof periodResource>;
export type MonitorUptime = z.output<typeof uptimeReport>;

/** The filters of the list, named as the API parameters. */
export const MONITOR_FILTERS: readonly FilterField[] = [
  { name: 'status', label: monitorsText.filters.status, values: ['failing', 'waiting', 'paused', 'healthy'] },
  { name: 'tag', label: monitorsText.filters.tag },
  { name: 'channel', label: monitorsText.filters.channel },
  { name: 'source', label: monitorsText.filters.source, values: ['file', 'console'] },
  { name: 'search', label: monitorsText.filters.search },
];

const MONITORS_PATH = 'api/monitoring/monitors';

/** The monitor resource, for the editor and the delete dialog. Lists are updated row by row. */
export const MONITOR_RESOURCE: ConsoleResourceKind<Monitor, MonitorForm> = {
  one: monitorsText.page.resource,
  path: MONITORS_PATH,
  touches: [
    ['monitors', 'settings'],
    ['monitors', 'one'],
    ['monitors', 'status'],
  ],
  needs: 'monitoring',
  formOf: (monitor) => toMonitorForm(monitor, browserZone()),
  bodyOf: toMonitorBody,
  changeOf: toMonitorUpdateBody,
  removal: ({ id, name }) => ({
    title: monitorsText.actions.deleteTitle(name),
    effect: monitorsText.actions.deleteEffect,
    typed: id,
  }),
};

const PAGE_ROWS = 100;
/** The largest number of ids that the server accepts in one request. */
const MAX_IDS = 100;

/** The API path of a monitor, or of a part of it. */
export function monitorPath(id: string, tail = ''): string {
  return `${MONITORS_PATH}/${encodeURIComponent(id)}${tail}`;
}

/**
 * Page after page in the server's order of urgency. What is there is kept up by `refreshRows`, row by row: it is never
 * stale as a whole, for reading it again would be one request for each page.
 */
export function monitorsQuery(filters: Readonly<Record<string, string>>) {
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

/** Reads some rows again and puts them where they stand, in every list that has them. */
export async function refreshMonitors(client: QueryClient, ids: readonly string[]): Promise<void> {
  const { data } = await getJson<ApiPage<Monitor>>(MONITORS_PATH, { ids: ids.join(), limit: MAX_IDS });
  replaceMonitors(client, ids, data);
}

/** Puts what the server answered where it stands, in every list that has it. */
export function replaceMonitors(
  client: QueryClient,
  ids: readonly string[],
  fresh: readonly Monitor[],
): void {
  client.setQueriesData<MonitorPages>(
    { queryKey: MONITOR_LISTS_KEY },
    (list) => list && replaceRows(list, ids, fresh),
  );
}

/** Lists begin anew where something was added: the next look reads their first page. */
export function removeInactiveMonitorLists(client: QueryClient): void {
  client.removeQueries({ queryKey: MONITOR_LISTS_KEY, type: 'inactive' });
}

/** Monitors whose name or id holds a text, to choose from. */
export function monitorOptionsQuery(search: string) {
  return queryOptions({
    queryKey: ['monitors', 'choices', search],
    queryFn: ({ signal }) => getJson<ApiPage<Monitor>>(MONITORS_PATH, { search, limit: 50 }, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

/** Every monitor that any search has found so far, as an option. */
export function getCachedMonitorOptions(client: QueryClient): readonly SelectOption[] {
  const pages = client.getQueriesData<ApiPage<Monitor>>({ queryKey: ['monitors', 'choices'] });
  const names = new Map(
    pages.flatMap(([, page]) => (page?.data ?? []).map(({ id, name }) => [id, name] as const)),
  );
  return [...names].map(([value, label]) => ({ value, label }));
}

/** Names of monitors by id; those that are not there any more are missing. */
export function monitorNamesQuery(ids: readonly string[]) {
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

export type BulkMonitorChange = Omit<z.input<typeof bulkMonitorPatch>, 'ids'>;

/** One change for a selection of any size, a hundred at a time. */
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

/** Counts by state, and the last day of these monitors. */
export function monitorStatusQuery(ids: readonly string[]) {
  return queryOptions({
    queryKey: ['monitors', 'status', ids.join()],
    queryFn: ({ signal }) =>
      getJson<MonitorSummary>('api/monitoring/status', { monitors: ids.join() }, signal),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

export function monitorQuery(id: string) {
  return queryOptions({
    queryKey: ['monitors', 'one', id],
    queryFn: ({ signal }) => getWithETag<Monitor>(monitorPath(id), signal),
  });
}

export function uptimeQuery(id: string, days: number) {
  return queryOptions({
    queryKey: ['monitors', 'one', id, 'uptime', days],
    queryFn: ({ signal }) =>
      getJson<MonitorUptime>(monitorPath(id, '/uptime'), { from: daysAgo(days) }, signal),
  });
}

/** Every period that touches the last days, newest first; at most 500. */
export function periodsQuery(id: string, days: number) {
  return queryOptions({
    queryKey: ['monitors', 'one', id, 'periods', days],
    queryFn: ({ signal }) =>
      getJson<ApiPage<MonitorPeriod>>(
        monitorPath(id, '/periods'),
        { from: daysAgo(days), limit: 500 },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
}

export interface CheckFilters {
  readonly status: string | null;
  /** ISO moments; null for all that is kept. */
  readonly from: string | null;
  readonly to: string | null;
}

export function checksQuery(id: string, filters: CheckFilters) {
  return infiniteQueryOptions({
    queryKey: ['monitors', 'one', id, 'checks', filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<ApiPage<CheckResource>>(
        monitorPath(id, '/checks'),
        { ...filters, limit: 50, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Beats and misses for the marks below the timeline. */
export function recentChecksQuery(id: string, days: number) {
  return queryOptions({
    queryKey: ['monitors', 'one', id, 'marks', days],
    queryFn: ({ signal }) =>
      getJson<ApiPage<CheckResource>>(
        monitorPath(id, '/checks'),
        { from: daysAgo(days), limit: 200 },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
}

/** The last changes of a monitor's settings, as the audit log has them. */
export function settingsChangesQuery(id: string) {
  return queryOptions({
    queryKey: ['monitors', 'one', id, 'changes'],
    queryFn: ({ signal }) =>
      getJson<ApiPage<AuditEntry>>(
        'api/management/audit',
        { subject: id, action: 'monitors.update', limit: 50 },
        signal,
      ),
    staleTime: 60_000,
  });
}

export function checksExportUrl(id: string): string {
  return apiUrl(`${monitorPath(id, '/checks/export')}?format=csv`).href;
}

export function monitorAlertsQuery(id: string) {
  return queryOptions({
    queryKey: ['alerts', 'of', id],
    queryFn: ({ signal }) =>
      getJson<ApiPage<ConsoleAlert>>('api/monitoring/alerts', { subject: id, limit: 5 }, signal),
  });
}

export const channelNamesQuery = queryOptions({
  queryKey: ['channels', 'names'],
  queryFn: ({ signal }) => getJson<ApiPage<Channel>>('api/monitoring/channels', { limit: 500 }, signal),
  staleTime: 30_000,
});

export const allBoardsQuery = queryOptions({
  queryKey: ['boards', 'all'],
  queryFn: ({ signal }) => getJson<ApiPage<Board>>('api/monitoring/boards', { limit: 500 }, signal),
});

export const maintenanceWindowsQuery = queryOptions({
  queryKey: ['maintenance', 'all'],
  queryFn: ({ signal }) =>
    getJson<ApiPage<MaintenanceWindow>>('api/monitoring/maintenance', { limit: 500 }, signal),
});

function daysAgo(days: number): string {
  // On the minute: the same link asked twice in a moment is the same question.
  return new Date(Math.floor(Date.now() / 60_000) * 60_000 - days * 86_400_000).toISOString();
}
