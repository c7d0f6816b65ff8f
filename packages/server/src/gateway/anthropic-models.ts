import type { ListedModel } from '../providers/model-list.ts';

type DescribedModel = Pick<ListedModel, 'id' | 'created'>;

/** A model as Anthropic's Models API shows it. An unknown release date is the epoch, as that API allows. */
export function toAnthropicModel({ id, created }: DescribedModel) {
  return {
    type: 'model' as const,
    id,
    display_name: id,
    created_at: new Date(created * 1000).toISOString(),
  };
}

/** A list of models in one page, whatever `limit` asks for. */
export function toAnthropicModelList(models: readonly DescribedModel[]) {
  const data = models.map(toAnthropicModel);
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
