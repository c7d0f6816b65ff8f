import { queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { getJsonWithETag, type ResourceWithETag, sendJson } from './api-client.ts';
import { type ApiMutation, useApiMutation } from './api-mutation.ts';
import { findFieldChanges } from './field-changes.ts';
import type { PermissionAction } from './permissions.ts';
import { type ResourceEditState, usePatchForm } from './use-patch-form.ts';

/** A kind of resource that users create, change and delete with a form. */
export interface ConsoleResourceKind<Resource extends { readonly id: string }, Form extends object> {
  /** Name of one resource, such as `limit`. Used in titles, buttons and messages. */
  readonly one: string;
  /** API path of the list, such as `api/management/limits`. */
  readonly path: string;
  /** Query keys that a change makes stale. The first is the key of the kind itself. */
  readonly touches: readonly [readonly unknown[], ...(readonly unknown[])[]];
  readonly needs: PermissionAction;
  readonly formOf: (resource: Resource) => Form;
  /**
   * Converts the form to the body of a create request. Throws an `ApiError` that names the field if a
   * value is invalid.
   */
  readonly bodyOf: (form: Form) => object;
  /**
   * Converts the form to the body of an update, if it differs from the body of a create request. Only the fields that
   * the user changed are sent.
   */
  readonly changeOf?: (form: Form, before: Resource) => object;
  /**
   * The confirmation before deletion. `typed` is a name that the user must type if other resources depend on
   * this one.
   */
  readonly removal: (resource: Resource) => {
    readonly title: string;
    readonly effect: string;
    readonly typed?: string;
  };
}

/** Returns the API path of one resource. */
export function buildResourceApiPath({ path }: { readonly path: string }, id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

/** Returns the query for one resource, with the ETag for its next change. */
export function buildResourceQuery<Resource extends { readonly id: string }, Form extends object>(
  kind: ConsoleResourceKind<Resource, Form>,
  id: string,
) {
  return queryOptions({
    queryKey: [...kind.touches[0], 'one', id],
    queryFn: ({ signal }) => getJsonWithETag<Resource>(buildResourceApiPath(kind, id), signal),
  });
}

/** The values of a form that creates a resource, and the functions that change and send them. */
export interface ResourceCreationState<Form> {
  readonly form: Form;
  readonly set: (fields: Partial<Form>) => void;
  readonly create: ApiMutation<undefined>;
  readonly isChanged: boolean;
}

/**
 * Manages the form that creates a resource.
 * @param from The initial values of the form, which are read only on the first render.
 */
export function useResourceCreation<Resource extends { readonly id: string }, Form extends object>(
  { path, bodyOf, touches }: ConsoleResourceKind<Resource, Form>,
  from: Form | (() => Form),
  done: (made: Resource) => void,
): ResourceCreationState<Form> {
  const [start] = useState(from);
  const [form, setForm] = useState(start);
  // The body is built inside the mutation, so that an invalid value is shown at its field like an error of
  // the server.
  const create = useApiMutation(
    async (_: undefined, keys) => sendJson<Resource>('POST', path, bodyOf(form), { keys }),
    { touches, done },
  );
  const set = (fields: Partial<Form>) => setForm((before) => ({ ...before, ...fields }));
  return { form, set, create, isChanged: findFieldChanges(start, form).length > 0 };
}

/** Manages the form that edits an existing resource. Saves with `If-Match` (see `usePatchForm`). */
export function useResourceEdit<Resource extends { readonly id: string }, Form extends object>(
  kind: ConsoleResourceKind<Resource, Form>,
  loaded: ResourceWithETag<Resource>,
  done: (saved: Resource) => void,
): ResourceEditState<Form> {
  const { formOf, bodyOf, changeOf: write = bodyOf, touches } = kind;
  return usePatchForm<Resource, Form>({
    path: buildResourceApiPath(kind, loaded.body.id),
    loaded,
    formOf,
    write,
    touches,
    done,
  });
}
