import { route, routeBody } from '@floe/contract/api/routes';
import type { RouteConfig } from '@floe/contract/config';
import { RouteSchema } from '@floe/contract/config/routing';
import type * as z from 'zod';
import { routeOf } from '../../platform/config/stored-config.ts';
import { copied, shownOf } from '../entries/entry-row.ts';
import type { OrderedEntry } from './ordered-kind.ts';

export const ROUTES: OrderedEntry<RouteConfig, z.input<typeof route>> = {
  kind: 'routes',
  one: 'route',
  named: 'model',
  schema: RouteSchema,
  answer: route,
  body: routeBody,
  nameOf: ({ model }) => model,
  view(row, position) {
    const { chat_reasoning = null, cache = null, ...settings } = routeOf(row);
    return { id: row.id, ...copied(settings), chat_reasoning, cache, position, ...shownOf(row) };
  },
};
