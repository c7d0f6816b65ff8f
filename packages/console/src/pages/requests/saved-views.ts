import type { view } from '@floe/contract/api/views';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import type { UrlChanges } from '../../app/url-state.ts';
import { get, type Page, send } from '../../data/api-client.ts';
import { fieldOf } from '../../filters/filter-text.ts';
import { REQUEST_FIELDS } from './request-data.ts';

export type SavedView = z.output<typeof view>;

const PAGE = 'requests';
/** What a view keeps beside the filters: its time when it is relative, and its columns. */
const BESIDE: ReadonlySet<string> = new Set(['range', 'cols']);

export const viewsQuery = queryOptions({
  queryKey: ['views', PAGE],
  queryFn: ({ signal }) => get<Page<SavedView>>('api/management/views', { page: PAGE, limit: 100 }, signal),
  staleTime: 60_000,
});

/** The part of a URL's query that a view keeps. */
export function keptOf(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...query].filter(([name]) => BESIDE.has(name) || fieldOf(REQUEST_FIELDS, name) !== undefined),
  );
}

/** What turns the URL to a view: its own parameters set, all others of a view taken away. */
export function turnTo(query: URLSearchParams, saved: Pick<SavedView, 'id' | 'filters'>): UrlChanges {
  const own = textOf(saved);
  const time = 'range' in own ? { from: null, to: null } : {};
  return { ...gone(query), ...time, ...own, view: saved.id };
}

/** Takes every parameter of a view away. */
export function gone(query: URLSearchParams): UrlChanges {
  return Object.fromEntries(Object.keys(keptOf(query)).map((name) => [name, null]));
}

/** Whether the URL shows something else than the view it names. */
export function isEdited(query: URLSearchParams, saved: Pick<SavedView, 'filters'>): boolean {
  const own = textOf(saved);
  const now = keptOf(query);
  const names = new Set([...Object.keys(own), ...Object.keys(now)]);
  // A frozen time is not another view: it is this view then.
  if (query.has('from')) names.delete('range');
  return [...names].some((name) => own[name] !== now[name]);
}

/** A link that names a view and nothing else is opened as that view. */
export function isBare(query: URLSearchParams): boolean {
  return query.has('view') && Object.keys(keptOf(query)).length === 0 && !query.has('from');
}

function textOf({ filters }: Pick<SavedView, 'filters'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

export function createView(name: string, shared: boolean, query: URLSearchParams): Promise<SavedView> {
  return send('POST', 'api/management/views', { name, page: PAGE, shared, filters: keptOf(query) });
}

export function changeView(
  id: string,
  change: Partial<Pick<SavedView, 'name' | 'shared'>>,
): Promise<SavedView> {
  return send('PATCH', `api/management/views/${encodeURIComponent(id)}`, change);
}

/** Gives a view what the URL shows. */
export function rewriteView(id: string, query: URLSearchParams): Promise<SavedView> {
  return send('PATCH', `api/management/views/${encodeURIComponent(id)}`, { filters: keptOf(query) });
}

export function deleteView(id: string): Promise<null> {
  return send('DELETE', `api/management/views/${encodeURIComponent(id)}`);
}
