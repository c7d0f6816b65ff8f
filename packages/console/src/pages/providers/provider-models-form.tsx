import { useQuery } from '@tanstack/react-query';
import { OrgLink } from '../../app/org-link.tsx';
import { type ApiPage, getJson, type ResourceWithETag } from '../../data/api-client.ts';
import type { ModelResource } from '../../data/lookup-queries.ts';
import { usePatchForm } from '../../data/use-patch-form.ts';
import { parseListInput } from '../../format/list-input.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { CodeArea } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { describeAllowlist } from './provider-allowlist.ts';
import { buildProviderApiPath, PROVIDER_QUERY_KEYS, type ProviderResource } from './provider-data.ts';
import { providersText } from './text.ts';

const formOf = ({ models }: ProviderResource) => ({ models: models.join('\n') });

/**
 * Renders the form for the allowlist of a provider, and shows which of the currently allowed models the
 * allowlist matches.
 */
export function ProviderModelsForm({ loaded }: { readonly loaded: ResourceWithETag<ProviderResource> }) {
  const provider = loaded.body;
  const edit = usePatchForm<ProviderResource, { readonly models: string }>({
    path: buildProviderApiPath(provider.id),
    loaded,
    formOf,
    write: ({ models }) => ({ models: parseListInput(models).length === 0 ? null : parseListInput(models) }),
    touches: PROVIDER_QUERY_KEYS,
    done: () => showToast(providersText.models.saved),
  });
  const { data } = useQuery({
    queryKey: ['models', 'of', provider.id],
    queryFn: ({ signal }) =>
      getJson<ApiPage<ModelResource>>('api/management/models', { provider: provider.id, limit: 500 }, signal),
  });
  const known = (data?.data ?? []).flatMap(({ model }) => model ?? []);
  const patterns = parseListInput(edit.form.models);
  return (
    <div className="max-w-2xl">
      <EditForm edit={edit} source={provider.source} verb={providersText.models.save} showSource={false}>
        <FormField name="models" label={providersText.fields.models} hint={providersText.fields.modelsHint}>
          <CodeArea
            rows={5}
            value={edit.form.models}
            onChange={({ target }) => edit.set({ models: target.value })}
          />
        </FormField>
        {known.length > 0 && (
          <p className="text-ui break-words text-ink-2">
            {describeAllowlist(patterns, provider.models, {
              listed: known,
              isComplete: data?.next_cursor === null,
            })}
          </p>
        )}
        <p className="text-ui">
          <OrgLink to="/management/models" search={{ provider: provider.id }}>
            {providersText.models.link}
          </OrgLink>
        </p>
      </EditForm>
    </div>
  );
}
