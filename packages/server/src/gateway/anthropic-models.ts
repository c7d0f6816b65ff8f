import type { ListedModel } from '../providers/model-list.ts';

type DescribedModel = Pick<ListedModel, 'id' | 'created'>;

/**
 * Converts a model to the format of Anthropic's Models API. If the release date is unknown,
 * `created_at` is the Unix epoch, as that API specifies.
 */
export function toAnthropicModel({ id, created }: DescribedModel) {
  return {
    type: 'model' as const,
    id,
    display_name: id,
    created_at: new Date(created * 1000).toISOString(),
  };
}

/**
 * Converts models to a list in the format of Anthropic's Models API. The list always has a single
 * page, regardless of `limit`.
 */
export function toAnthropicModelList(models: readonly DescribedModel[]) {
  const data = models.map(toAnthropicModel);
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
