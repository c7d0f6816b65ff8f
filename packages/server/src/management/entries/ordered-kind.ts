import type { PolicyConfig, RouteConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import type { EntryRow } from '../../store/config-entries.ts';

/** What differs between routes and policies, which are lists whose order counts. */
export interface OrderedKind<Config extends RouteConfig | PolicyConfig, View extends JsonObject> {
  readonly kind: 'routes' | 'policies';
  /** In messages. */
  readonly one: 'route' | 'policy';
  /** The field that names it. */
  readonly named: 'model' | 'name';
  readonly schema: z.ZodType<Config>;
  nameOf(config: Config): string;
  /** What of the org it may name, given the ids of its providers. */
  beside(providers: readonly string[]): JsonObject;
  examine(config: Config): { readonly field: string; readonly message: string } | null;
  view(row: EntryRow, position: number): View;
}
