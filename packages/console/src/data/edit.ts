import { useState } from 'react';
import { getTagged, sendTagged, type Tagged } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { useChange } from './change.ts';
import { type FieldChange, fieldChanges } from './field-changes.ts';

export interface Edit<Form> {
  readonly form: Form;
  readonly set: (fields: Partial<Form>) => void;
  readonly isChanged: boolean;
  readonly save: () => void;
  readonly saving: boolean;
  readonly error: ApiError | null;
  /** What somebody else saved while this was edited; null when nobody did. Nothing is saved before a choice. */
  readonly meanwhile: readonly FieldChange[] | null;
  readonly keepMine: () => void;
  readonly takeTheirs: () => void;
  readonly discard: () => void;
}

/**
 * The form over one resource: what was read, what it became, and a save that loses nobody's change (`If-Match`).
 * @param write what to send for a form; it goes to `path` as a PATCH
 */
export function useEdit<Resource, Form extends object>(options: {
  readonly path: string;
  readonly read: Tagged<Resource>;
  readonly formOf: (resource: Resource) => Form;
  readonly write: (form: Form) => unknown;
  readonly touches: readonly (readonly unknown[])[];
  readonly done: (resource: Resource) => void;
}): Edit<Form> {
  const { path, formOf, write, touches, done } = options;
  const [base, setBase] = useState(options.read);
  const [form, setForm] = useState(() => formOf(base.body));
  const [theirs, setTheirs] = useState<Tagged<Resource> | null>(null);
  const [seen, setSeen] = useState(options.read);
  const adopt = (next: Tagged<Resource>) => {
    setBase(next);
    setForm(formOf(next.body));
  };
  const change = useChange(
    async () => {
      try {
        return await sendTagged<Resource>('PATCH', path, write(form), base.etag);
      } catch (error) {
        if (error instanceof ApiError && error.status === 412) setTheirs(await getTagged<Resource>(path));
        throw error;
      }
    },
    {
      touches,
      done: (saved) => {
        adopt(saved);
        done(saved.body);
      },
    },
  );
  const isChanged = fieldChanges(formOf(base.body), form).length > 0;
  // What changed elsewhere while nothing was edited here is simply shown.
  if (options.read.etag !== base.etag && options.read !== seen && !isChanged && !change.running)
    adopt(options.read);
  if (options.read !== seen) setSeen(options.read);
  const settle = (mine: boolean) => {
    if (!theirs) return;
    setBase(theirs);
    if (!mine) setForm(formOf(theirs.body));
    setTheirs(null);
    change.reset();
  };
  return {
    form,
    set: (fields) => setForm((before) => ({ ...before, ...fields })),
    isChanged,
    save: () => change.run(undefined),
    saving: change.running,
    error: theirs ? null : change.error,
    meanwhile: theirs && fieldChanges(formOf(base.body), formOf(theirs.body)),
    keepMine: () => settle(true),
    takeTheirs: () => settle(false),
    discard: () => {
      setForm(formOf(base.body));
      change.reset();
    },
  };
}
