import type { RequestDetail } from '@floe/contract/api/analytics';
import { queryOptions } from '@tanstack/react-query';
import { getJson } from '../../data/api-client.ts';
import { ApiError } from '../../data/api-error.ts';
import type { ModelResource } from '../../data/lookup-queries.ts';
import { formatCompactNumber, formatPrice } from '../../format/amounts.ts';
import type { SelectOption } from '../../ui/field.tsx';
import { playgroundText } from './text.ts';

/**
 * Returns the models as select options, with their context windows and prices. Routes come first, then models
 * by provider.
 */
export function toModelOptions(models: readonly ModelResource[]): readonly SelectOption[] {
  const order = [...models].sort((a, b) =>
    a.kind === b.kind ? a.id.localeCompare(b.id, 'en') : a.kind === 'alias' ? -1 : 1,
  );
  return order.map(({ id, kind, targets, context_window, prices }) => {
    const facts =
      kind === 'alias'
        ? [playgroundText.models.route(targets.join(', '))]
        : [
            context_window === null
              ? null
              : playgroundText.models.context(formatCompactNumber(context_window)),
            prices === null
              ? playgroundText.models.noPrice
              : prices.input_usd === 0 && prices.output_usd === 0
                ? playgroundText.models.free
                : playgroundText.models.prices(formatPrice(prices.input_usd), formatPrice(prices.output_usd)),
          ].filter((fact) => fact !== null);
    return { value: id, label: playgroundText.models.option(id, facts) };
  });
}

/**
 * Returns the query for the record of a request that the playground sent. The record is written shortly after
 * the response, so the query retries until the record exists.
 */
export function buildRecordedRequestQuery(id: string | null) {
  return queryOptions({
    queryKey: ['request', id],
    queryFn: ({ signal }) =>
      getJson<RequestDetail>(`api/analytics/requests/${encodeURIComponent(id ?? '')}`, undefined, signal),
    enabled: id !== null,
    retry: (failures, error) => failures < 12 && error instanceof ApiError && error.status === 404,
    retryDelay: 500,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
