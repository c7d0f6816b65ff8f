import type { route } from '@floe/contract/api/routes';
import type { RouteConfig } from '@floe/contract/config';
import { RouteSchema } from '@floe/contract/config/routing';
import type * as z from 'zod';
import { routeOf } from '../../platform/config/stored-config.ts';
import type { OrderedKind } from '../entries/ordered-kind.ts';
import { shownOf } from '../entries/own.ts';

/** Routes, as the verbs of `ordered-verbs.ts` handle them. */
export const ROUTES: OrderedKind<RouteConfig, z.input<typeof route>> = {
  kind: 'routes',
  one: 'route',
  named: 'model',
  schema: RouteSchema,
  nameOf: ({ model }) => model,
  beside: (providers) => ({ providers: providers.map((id) => ({ id })) }),
  examine: () => null,
  view(row, position) {
    const { model, targets, timeouts, chat_reasoning, cache, ...config } = routeOf(row);
    return {
      id: row.id,
      model,
      enabled: config.enabled,
      strategy: config.strategy,
      targets: targets.map((target) => ({ ...target })),
      retries: config.retries,
      rescue: config.rescue,
      timeouts: { ...timeouts },
      chat_reasoning: chat_reasoning ?? null,
      cache: cache ?? null,
      position,
      ...shownOf(row),
    };
  },
};
