import { routeInput, routeResource } from '@floe/contract/api/routes';
import type { RouteConfig } from '@floe/contract/config';
import { RouteSchema } from '@floe/contract/config/routing';
import type * as z from 'zod';
import { parseStoredRoute } from '../../platform/config/stored-config.ts';
import { cloneJson, toConfigEntryMetadata } from '../entries/config-entry-row.ts';
import type { OrderedResourceKindSpec } from './ordered-resource-kind.ts';

/** The specification of the resource kind of routes. Routes are an ordered list. */
export const ROUTE_RESOURCE_KIND_SPEC: OrderedResourceKindSpec<RouteConfig, z.input<typeof routeResource>> = {
  kind: 'routes',
  singular: 'route',
  nameField: 'model',
  schema: RouteSchema,
  answer: routeResource,
  body: routeInput,
  nameOf: ({ model }) => model,
  toResource(row, position) {
    const { chat_reasoning = null, cache = null, ...settings } = parseStoredRoute(row);
    return {
      id: row.id,
      ...cloneJson(settings),
      chat_reasoning,
      cache,
      position,
      ...toConfigEntryMetadata(row),
    };
  },
};
