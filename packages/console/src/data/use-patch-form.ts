import { useState } from 'react';
import { getJsonWithETag, type ResourceWithETag, sendJsonWithETag } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { useApiMutation } from './api-mutation.ts';
import { type FieldChange, findFieldChanges } from './field-changes.ts';
import { mergeForms } from './merge-forms.ts';
import { pickChangedFields } from './pick-changed-fields.ts';

/** The state of a form that edits a resource, and the functions that change it. */
export interface ResourceEditState<Form> {
  /** API path of the resource. */
  readonly path: string;
  readonly form: Form;
  readonly set: (fields: Partial<Form>) => void;
  readonly isChanged: boolean;
  readonly save: () => void;
  readonly saving: boolean;
  readonly error: ApiError | null;
  /**
   * Changes that another member saved meanwhile, or null if there are none. Saving waits until the user
   * chooses a version.
   */
  readonly concurrentChanges: readonly FieldChange[] | null;
  /**
   * Saves the user’s changes on top of the other member’s version. Fields that only the other member changed
   * keep the new values.
   */
  readonly keepMine: () => void;
  readonly takeTheirs: () => void;
  readonly discard: () => void;
}

/** The props of the fields of a form: all values, and a function that changes some of them. */
export interface FormFieldsProps<Form> {
  readonly form: Form;
  readonly onChange: (fields: Partial<Form>) => void;
}

interface EditOptions<Resource, Form> {
  readonly path: string;
  readonly loaded: ResourceWithETag<Resource>;
  readonly formOf: (resource: Resource) => Form;
  /**
   * Converts the form to the body of a `PATCH` request to `path`. Only the fields that the user changed are sent.
   * @param before the resource to which the changes apply
   */
  readonly write: (form: Form, before: Resource) => object;
  readonly touches: readonly (readonly unknown[])[];
  readonly done: (resource: Resource) => void;
}

/**
 * Manages the form that edits a resource: the version that was read, the edited values, and saving with
 * `If-Match`. If another member has changed the resource in the meantime, the user must choose a version.
 */
export function usePatchForm<Resource, Form extends object>(
  options: EditOptions<Resource, Form>,
): ResourceEditState<Form> {
  const { loaded, formOf, done } = options;
  const [base, setBase] = useState(loaded);
  const [form, setForm] = useState(() => formOf(base.body));
  const [theirs, setTheirs] = useState<ResourceWithETag<Resource> | null>(null);
  const [seen, setSeen] = useState(loaded);
  /** The version that was read while the form had edits. Discarding the edits shows it. */
  const [newest, setNewest] = useState<ResourceWithETag<Resource> | null>(null);
  /** @param typed The form at the time `next` was requested. Values typed since then are kept. */
  const adopt = (next: ResourceWithETag<Resource>, typed: Form | null = null) => {
    const values = formOf(next.body);
    setBase(next);
    setForm((now) => (typed === null ? values : mergeForms(typed, now, values)));
    setTheirs(null);
    setNewest(null);
  };
  const isChanged = findFieldChanges(formOf(base.body), form).length > 0;
  const change = usePatch({
    ...options,
    isConflict: ({ body }, values) => hasOtherChanges(formOf(base.body), formOf(body), values),
    onStale: setTheirs,
    onSaved: (saved, { values }) => {
      adopt(saved, values);
      done(saved.body);
    },
  });
  // Without edits in the form, changes from elsewhere are shown immediately.
  if (loaded !== seen) {
    setSeen(loaded);
    const isNew = loaded.etag !== base.etag;
    if (isNew && (isChanged || change.running)) setNewest(loaded);
    else if (isNew) adopt(loaded);
  }
  return {
    path: options.path,
    form,
    set: (fields) => setForm((before) => ({ ...before, ...fields })),
    isChanged,
    save: () => change.run({ values: form, before: base }),
    saving: change.running,
    error: theirs ? null : change.error,
    concurrentChanges: theirs && findFieldChanges(formOf(base.body), formOf(theirs.body)),
    keepMine: () => {
      if (!theirs) return;
      const before = formOf(base.body);
      adopt(theirs, before);
      change.run({ values: mergeForms(before, form, formOf(theirs.body)), before: theirs });
    },
    takeTheirs: () => {
      if (theirs) adopt(theirs);
      change.reset();
    },
    discard: () => {
      adopt(theirs ?? newest ?? base);
      change.reset();
    },
  };
}

/** Returns whether `theirs` changes fields of `base` to values that differ from those in `mine`. */
function hasOtherChanges<Form extends object>(base: Form, theirs: Form, mine: Form): boolean {
  return findFieldChanges(mine, mergeForms(base, theirs, mine)).length > 0;
}

interface Sent<Resource, Form> {
  readonly values: Form;
  /** The version to which the changes apply. */
  readonly before: ResourceWithETag<Resource>;
}

/**
 * Sends the form. If the version is outdated (412) and fields of the form have changed to other values, reports this
 * together with the newest version. Otherwise, sends the form again for the newest version, for example if the
 * response to an earlier attempt was lost.
 */
function usePatch<Resource, Form>({
  path,
  formOf,
  write,
  touches,
  isConflict,
  onStale,
  onSaved,
}: Pick<EditOptions<Resource, Form>, 'path' | 'formOf' | 'write' | 'touches'> & {
  readonly isConflict: (newest: ResourceWithETag<Resource>, values: Form) => boolean;
  readonly onStale: (newest: ResourceWithETag<Resource>) => void;
  readonly onSaved: (saved: ResourceWithETag<Resource>, sent: Sent<Resource, Form>) => void;
}) {
  return useApiMutation(
    async ({ values, before }: Sent<Resource, Form>) => {
      const body = pickChangedFields(write(values, before.body), write(formOf(before.body), before.body));
      const send = (version: string | null) => sendJsonWithETag<Resource>('PATCH', path, body, version);
      try {
        return await send(before.etag);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 412)) throw error;
        const newest = await getJsonWithETag<Resource>(path);
        if (!isConflict(newest, values)) return send(newest.etag);
        onStale(newest);
        throw error;
      }
    },
    { touches, done: onSaved },
  );
}
