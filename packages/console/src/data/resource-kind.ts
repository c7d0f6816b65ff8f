import { queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { getWithETag, sendJson, type WithETag } from './api-client.ts';
import { type ApiMutation, useApiMutation } from './api-mutation.ts';
import { findFieldChanges } from './field-changes.ts';
import { type ResourceEdit, usePatchForm } from './patch-form.ts';
import type { PermissionAction } from './permissions.ts';

/** A kind of things that people make, change and remove by a form. */
export interface ConsoleResourceKind<Resource extends { readonly id: string }, Form extends object> {
  /** `limit`: in titles, buttons and messages. */
  readonly one: string;
  /** Where all of them are: `api/management/limits`. */
  readonly path: string;
  /** Queries that a change makes stale; the first names the kind's own. */
  readonly touches: readonly [readonly unknown[], ...(readonly unknown[])[]];
  readonly needs: PermissionAction;
  readonly formOf: (resource: Resource) => Form;
  /** What the API is sent for a form. What cannot be sent is thrown as an `ApiRequestError` that names the field. */
  readonly bodyOf: (form: Form) => unknown;
  /** The same for a change of one, where that is not all that a new one is made of. */
  readonly changeOf?: (form: Form) => unknown;
  /** What is asked before one is removed; `typed` wants a name typed, where others depend on it. */
  readonly removal: (resource: Resource) => {
    readonly title: string;
    readonly effect: string;
    readonly typed?: string;
  };
}

/** Where one of a kind is. */
export function resourcePath({ path }: { readonly path: string }, id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

/** One of a kind, with the tag for its next change. */
export function resourceQuery<Resource extends { readonly id: string }, Form extends object>(
  kind: ConsoleResourceKind<Resource, Form>,
  id: string,
) {
  return queryOptions({
    queryKey: [...kind.touches[0], 'one', id],
    queryFn: ({ signal }) => getWithETag<Resource>(resourcePath(kind, id), signal),
  });
}

/** The form over something that is not there yet. */
export interface ResourceCreation<Form> {
  readonly form: Form;
  readonly set: (fields: Partial<Form>) => void;
  readonly create: ApiMutation<undefined>;
  readonly isChanged: boolean;
}

/** @param from what the form begins with; read once */
export function useResourceCreation<Resource extends { readonly id: string }, Form extends object>(
  { path, bodyOf, touches }: ConsoleResourceKind<Resource, Form>,
  from: Form | (() => Form),
  done: (made: Resource) => void,
): ResourceCreation<Form> {
  const [start] = useState(from);
  const [form, setForm] = useState(start);
  // The body is made inside: what cannot be read is told by its field, as what the server refuses is.
  const create = useApiMutation(async () => sendJson<Resource>('POST', path, bodyOf(form)), {
    touches,
    done,
  });
  const set = (fields: Partial<Form>) => setForm((before) => ({ ...before, ...fields }));
  return { form, set, create, isChanged: findFieldChanges(start, form).length > 0 };
}

/** The form over one that exists: saved with `If-Match`, see `usePatchForm`. */
export function useResourceEdit<Resource extends { readonly id: string }, Form extends object>(
  kind: ConsoleResourceKind<Resource, Form>,
  read: WithETag<Resource>,
  done: (saved: Resource) => void,
): ResourceEdit<Form> {
  const { formOf, bodyOf, changeOf: write = bodyOf, touches } = kind;
  return usePatchForm<Resource, Form>({
    path: resourcePath(kind, read.body.id),
    read,
    formOf,
    write,
    touches,
    done,
  });
}
