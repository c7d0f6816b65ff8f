import type { viewResource } from '@floe/contract/api/views';
import type * as z from 'zod';
import type { UrlChanges } from '../../app/url-state.ts';
import { findFilterField } from '../../filters/filter-text.ts';
import { REQUEST_FIELDS } from './request-fields.ts';

/** Filters of the list under a name, and what of a URL they are. Pure. */
export type SavedView = z.output<typeof viewResource>;

/** What a view keeps beside the filters: its time when it is relative, and its columns. */
const BESIDE: ReadonlySet<string> = new Set(['range', 'cols']);

/** The part of a URL's query that a view keeps. */
export function viewParameters(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...query].filter(([name]) => BESIDE.has(name) || findFilterField(REQUEST_FIELDS, name) !== undefined),
  );
}

/** What turns the URL to a view: its own parameters set, all others of a view taken away. */
export function applyView(query: URLSearchParams, saved: Pick<SavedView, 'id' | 'filters'>): UrlChanges {
  const own = textOf(saved);
  const time = 'range' in own ? { from: null, to: null } : {};
  return { ...clearViewParameters(query), ...time, ...own, view: saved.id };
}

/** Takes every parameter of a view away. */
export function clearViewParameters(query: URLSearchParams): UrlChanges {
  return Object.fromEntries(Object.keys(viewParameters(query)).map((name) => [name, null]));
}

/** Whether the URL shows something else than the view it names. */
export function isViewEdited(query: URLSearchParams, saved: Pick<SavedView, 'filters'>): boolean {
  const own = textOf(saved);
  const now = viewParameters(query);
  const names = new Set([...Object.keys(own), ...Object.keys(now)]);
  // A frozen time is not another view: it is this view then.
  if (query.has('from')) names.delete('range');
  return [...names].some((name) => own[name] !== now[name]);
}

/** A link that names a view and nothing else is opened as that view. */
export function isViewOnlyUrl(query: URLSearchParams): boolean {
  return query.has('view') && Object.keys(viewParameters(query)).length === 0 && !query.has('from');
}

function textOf({ filters }: Pick<SavedView, 'filters'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
