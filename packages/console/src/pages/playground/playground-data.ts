import type { RequestDetail } from '@floe/contract/api/analytics';
import { queryOptions } from '@tanstack/react-query';
import { getJson } from '../../data/api-client.ts';
import { ApiError } from '../../data/api-error.ts';
import type { Model } from '../../data/org-lists.ts';
import { formatCompact, formatPrice } from '../../format/amounts.ts';
import type { SelectOption } from '../../ui/field.tsx';

/** Routes first, then models by provider; context and price behind the name. */
export function modelChoices(models: readonly Model[]): readonly SelectOption[] {
  const order = [...models].sort((a, b) =>
    a.kind === b.kind ? a.id.localeCompare(b.id, 'en') : a.kind === 'alias' ? -1 : 1,
  );
  return order.map(({ id, kind, targets, context_window, prices }) => {
    const facts =
      kind === 'alias'
        ? [`route to ${targets.join(', ')}`]
        : [
            context_window === null ? null : `${formatCompact(context_window)} context`,
            prices === null
              ? 'price unknown'
              : `$${formatPrice(prices.input_usd)} / $${formatPrice(prices.output_usd)}`,
          ].filter((fact) => fact !== null);
    return { value: id, label: facts.length === 0 ? id : `${id} · ${facts.join(' · ')}` };
  });
}

/** The row of a run. It is written a moment after the answer, so it is asked for until it is there. */
export function recordedRequestQuery(id: string | null) {
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
