import type { savedViewResource } from '@floe/contract/api/saved-views';
import type * as z from 'zod';
import type { UrlParameterChanges } from '../../app/url-state.ts';
import { findFilterField } from '../../filters/filter-text.ts';
import { REQUEST_FILTER_FIELDS } from './request-fields.ts';

/** A named set of filters of the request list. The server stores it. */
export type SavedView = z.output<typeof savedViewResource>;

/** URL parameters that a view contains in addition to filters: the relative time range and the columns. */
const BESIDE: ReadonlySet<string> = new Set(['range', 'cols']);

/** Returns the URL parameters that a view stores. */
export function selectViewParameters(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...query].filter(
      ([name]) => BESIDE.has(name) || findFilterField(REQUEST_FILTER_FIELDS, name) !== undefined,
    ),
  );
}

/**
 * Returns the URL changes that apply a view: they set its parameters and remove all other parameters that a
 * view can contain.
 */
export function buildUrlChangesToApplyView(
  query: URLSearchParams,
  saved: Pick<SavedView, 'id' | 'filters'>,
): UrlParameterChanges {
  const own = toSavedViewParameters(saved);
  const time = 'range' in own ? { from: null, to: null } : {};
  return { ...buildUrlChangesToClearView(query), ...time, ...own, view: saved.id };
}

/** Returns the URL changes that remove all parameters that a view can contain. */
export function buildUrlChangesToClearView(query: URLSearchParams): UrlParameterChanges {
  return Object.fromEntries(Object.keys(selectViewParameters(query)).map((name) => [name, null]));
}

/** Returns whether the parameters of the URL differ from those of the view that the URL names. */
export function isViewEdited(query: URLSearchParams, saved: Pick<SavedView, 'filters'>): boolean {
  const own = toSavedViewParameters(saved);
  const now = selectViewParameters(query);
  const names = new Set([...Object.keys(own), ...Object.keys(now)]);
  // A fixed time range does not make it a different view.
  if (query.has('from')) names.delete('range');
  return [...names].some((name) => own[name] !== now[name]);
}

/** Returns whether the URL names a view and contains no other parameter. Such a URL applies the view. */
export function isViewOnlyUrl(query: URLSearchParams): boolean {
  return query.has('view') && Object.keys(selectViewParameters(query)).length === 0 && !query.has('from');
}

/** Returns the URL parameters that a view contains. */
export function toSavedViewParameters({ filters }: Pick<SavedView, 'filters'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
