import type { ResourceWithETag } from '../../data/api-client.ts';
import { useSignedInSession } from '../../data/session.ts';
import { usePatchForm } from '../../data/use-patch-form.ts';
import { EditForm, FormFieldset } from '../../ui/edit-form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { buildKeyApiPath, type KeyResource, PLATFORM_KEY_QUERY_KEYS } from './key-data.ts';
import { KeyFields, toKeyBody, toKeyFormValues } from './key-fields.tsx';
import { canChangeKey } from './key-status.ts';
import { keysText } from './text.ts';

/** Edits the name, scopes, models and owner of a key. Read-only if the key is not active. */
export function KeyEditor({ loaded }: { readonly loaded: ResourceWithETag<KeyResource> }) {
  const edit = usePatchForm({
    path: buildKeyApiPath(loaded.body.id),
    loaded,
    formOf: toKeyFormValues,
    write: toKeyBody,
    touches: PLATFORM_KEY_QUERY_KEYS,
    done: ({ name }) => showToast(keysText.detail.saved(name)),
  });
  const session = useSignedInSession();
  const needs = canChangeKey(loaded.body, session) ? 'own_keys' : 'management';
  const fields = <KeyFields draft={edit.form} onChange={edit.set} />;
  if (loaded.body.status !== 'active') return <FormFieldset disabled>{fields}</FormFieldset>;
  return (
    <EditForm edit={edit} source={loaded.body.source} verb={keysText.detail.save} needs={needs}>
      {fields}
    </EditForm>
  );
}
