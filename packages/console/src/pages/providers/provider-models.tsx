import { useQuery } from '@tanstack/react-query';
import { OrgLink } from '../../app/org-link.tsx';
import { type ApiPage, getJson, type WithETag } from '../../data/api-client.ts';
import { useEdit } from '../../data/edit.ts';
import type { Model } from '../../data/org-lists.ts';
import { formatCount } from '../../format/amounts.ts';
import { parseList } from '../../format/words.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { CodeArea } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { PROVIDER_QUERY_KEYS, type Provider, providerPath } from './provider-data.ts';
import { matchesModelPattern } from './provider-status.ts';
import { text } from './text.ts';

const formOf = ({ models }: Provider) => ({ models: models.join('\n') });

/** The allowlist of a provider, with the known models that it matches. */
export function ProviderModels({ read }: { readonly read: WithETag<Provider> }) {
  const provider = read.body;
  const edit = useEdit<Provider, { readonly models: string }>({
    path: providerPath(provider.id),
    read,
    formOf,
    write: ({ models }) => ({ models: parseList(models).length === 0 ? null : parseList(models) }),
    touches: PROVIDER_QUERY_KEYS,
    done: () => showToast(text.models.saved),
  });
  const { data } = useQuery({
    queryKey: ['models', 'of', provider.id],
    queryFn: ({ signal }) =>
      getJson<ApiPage<Model>>('api/management/models', { provider: provider.id, limit: 500 }, signal),
  });
  const known = (data?.data ?? []).flatMap(({ model }) => model ?? []);
  const patterns = parseList(edit.form.models);
  const matched = known.filter((model) => patterns.some((pattern) => matchesModelPattern(pattern, model)));
  return (
    <div className="max-w-2xl">
      <EditForm edit={edit} source={provider.source} verb={text.models.save} showSource={false}>
        <FormField name="models" label={text.fields.models} hint={text.fields.modelsHint}>
          <CodeArea
            rows={5}
            value={edit.form.models}
            onChange={({ target }) => edit.set({ models: target.value })}
          />
        </FormField>
        {known.length > 0 && (
          <p className="text-ui break-words text-ink-2">
            {text.models.matches(formatCount(matched.length), formatCount(known.length))}
            {matched.length > 0
              ? text.models.list(matched.slice(0, 12).join(', '), matched.length > 12)
              : text.models.end}
          </p>
        )}
        <p className="text-ui">
          <OrgLink to="/management/models" search={{ provider: provider.id }}>
            {text.models.link}
          </OrgLink>
        </p>
      </EditForm>
    </div>
  );
}
