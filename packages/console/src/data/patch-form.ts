import { useState } from 'react';
import { getWithETag, sendWithETag, type WithETag } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { useApiMutation } from './api-mutation.ts';
import { type FieldChange, findFieldChanges } from './field-changes.ts';
import { mergeForms } from './merge-forms.ts';

export interface ResourceEdit<Form> {
  /** Where the API has what is edited. */
  readonly path: string;
  readonly form: Form;
  readonly set: (fields: Partial<Form>) => void;
  readonly isChanged: boolean;
  readonly save: () => void;
  readonly saving: boolean;
  readonly error: ApiError | null;
  /** What somebody else saved while this was edited; null when nobody did. Nothing is saved before a choice. */
  readonly concurrentChanges: readonly FieldChange[] | null;
  /** Saves what was changed here over theirs; what only they changed stays. */
  readonly keepMine: () => void;
  readonly takeTheirs: () => void;
  readonly discard: () => void;
}

/** What a part of a form is given: all its values, and how to change some of them. */
export interface FormFieldsProps<Form> {
  readonly form: Form;
  readonly onChange: (fields: Partial<Form>) => void;
}

interface EditOptions<Resource, Form> {
  readonly path: string;
  readonly read: WithETag<Resource>;
  readonly formOf: (resource: Resource) => Form;
  /** What to send for a form; it goes to `path` as a PATCH. */
  readonly write: (form: Form) => unknown;
  readonly touches: readonly (readonly unknown[])[];
  readonly done: (resource: Resource) => void;
}

/**
 * The form over one resource: what was read, what it became, and a save that loses nobody's change (`If-Match`).
 */
export function usePatchForm<Resource, Form extends object>(
  options: EditOptions<Resource, Form>,
): ResourceEdit<Form> {
  const { read, formOf, done } = options;
  const [base, setBase] = useState(read);
  const [form, setForm] = useState(() => formOf(base.body));
  const [theirs, setTheirs] = useState<WithETag<Resource> | null>(null);
  const [seen, setSeen] = useState(read);
  /** @param typed what the form held when `next` was asked for: what was typed since stays */
  const adopt = (next: WithETag<Resource>, typed: Form | null = null) => {
    const values = formOf(next.body);
    setBase(next);
    setForm((now) => (typed === null ? values : mergeForms(typed, now, values)));
    setTheirs(null);
  };
  const isChanged = findFieldChanges(formOf(base.body), form).length > 0;
  const change = usePatch({
    ...options,
    onStale: setTheirs,
    onSaved: (saved, { values }) => {
      adopt(saved, values);
      done(saved.body);
    },
  });
  // What changed elsewhere while nothing was edited here is simply shown.
  if (read !== seen) {
    setSeen(read);
    if (read.etag !== base.etag && !isChanged && !change.running) adopt(read);
  }
  return {
    path: options.path,
    form,
    set: (fields) => setForm((before) => ({ ...before, ...fields })),
    isChanged,
    save: () => change.run({ values: form, etag: base.etag }),
    saving: change.running,
    error: theirs ? null : change.error,
    concurrentChanges: theirs && findFieldChanges(formOf(base.body), formOf(theirs.body)),
    keepMine: () => {
      if (!theirs) return;
      const values = mergeForms(formOf(base.body), form, formOf(theirs.body));
      setBase(theirs);
      setForm(values);
      setTheirs(null);
      change.run({ values, etag: theirs.etag });
    },
    takeTheirs: () => {
      if (theirs) adopt(theirs);
      change.reset();
    },
    discard: () => {
      setForm(formOf(base.body));
      change.reset();
    },
  };
}

interface Sent<Form> {
  readonly values: Form;
  readonly etag: string | null;
}

/** Sends a form; a version that is no longer the newest (412) is told together with the newest one. */
function usePatch<Resource, Form>({
  path,
  write,
  touches,
  onStale,
  onSaved,
}: {
  readonly path: string;
  readonly write: (form: Form) => unknown;
  readonly touches: readonly (readonly unknown[])[];
  readonly onStale: (newest: WithETag<Resource>) => void;
  readonly onSaved: (saved: WithETag<Resource>, sent: Sent<Form>) => void;
}) {
  return useApiMutation(
    async ({ values, etag }: Sent<Form>) => {
      try {
        return await sendWithETag<Resource>('PATCH', path, write(values), etag);
      } catch (error) {
        if (error instanceof ApiError && error.status === 412) onStale(await getWithETag<Resource>(path));
        throw error;
      }
    },
    { touches, done: onSaved },
  );
}
