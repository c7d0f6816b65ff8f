import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { BudgetSchema, LimitSchema, PolicySchema } from '../config/limits-cache-policies.ts';
import { BoardSchema, ChannelSchema, MonitorSchema } from '../config/monitoring.ts';
import { ProviderSchema } from '../config/providers.ts';
import { RouteSchema } from '../config/routing.ts';
import { boardCreation } from './boards.ts';
import { channelCreation } from './channels.ts';
import { keyCreation, PlatformKeySchema } from './keys.ts';
import { budgetInput, limitInput } from './limits-and-budgets.ts';
import { monitorCreation } from './monitors.ts';
import { policyInput } from './policies.ts';
import { providerCreation } from './providers.ts';
import { routeInput } from './routes.ts';
import { TeamSchema, teamCreation } from './teams.ts';

type Schema = z.core.JSONSchema.JSONSchema;

const KINDS: Readonly<Record<string, { readonly body: z.ZodType; readonly file: z.ZodType }>> = {
  teams: { body: teamCreation, file: TeamSchema },
  keys: { body: keyCreation, file: PlatformKeySchema },
  providers: { body: providerCreation, file: ProviderSchema },
  routes: { body: routeInput, file: RouteSchema },
  policies: { body: policyInput, file: PolicySchema },
  limits: { body: limitInput, file: LimitSchema },
  budgets: { body: budgetInput, file: BudgetSchema },
  channels: { body: channelCreation, file: ChannelSchema },
  monitors: { body: monitorCreation, file: MonitorSchema },
  boards: { body: boardCreation, file: BoardSchema },
};

/** Fields that differ between the body of a creation and the file, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'keys.key': 'the server makes the value of a key',
  'keys.imported_hash': 'keys are imported with a document, not created with the value of another product',
  'keys.imported_from': 'keys are imported with a document, not created with the value of another product',
  'providers.credentials': 'an `api_key` that is absent stays; what an answer showed of one may come back',
  'providers.identity': 'secrets that are absent stay; the rest is checked with the schema of the file',
  'channels.kind': 'one object with every kind, where the file has an object for each',
};

/** Words about a field, and what it is when nobody says: no part of what it takes. */
const SAID = new Set(['description', 'default', 'examples', 'writeOnly', '$schema']);

/** What a field takes. */
function limitsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(limitsOf);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !SAID.has(name));
  return Object.fromEntries(fields.map(([name, inner]) => [name, limitsOf(inner)]));
}

/** Of a nullable field what it takes besides null: in a request, null means absent. */
function withoutNull(schema: Schema): Schema {
  if (Array.isArray(schema.type)) {
    const [type, ...more] = schema.type.filter((one) => one !== 'null');
    return more.length === 0 && type !== undefined ? { ...schema, type } : schema;
  }
  const others = schema.anyOf?.filter((one) => typeof one !== 'object' || one.type !== 'null') ?? [];
  const [only] = others;
  return others.length === 1 && schema.anyOf?.length === 2 && typeof only === 'object' ? only : schema;
}

/** The fields of an object, or of every object of a union. */
function fieldsOf(type: z.ZodType): ReadonlyMap<string, string> {
  const schema: Schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
  const found = new Map<string, Set<string>>();
  for (const branch of schema.oneOf ?? schema.anyOf ?? [schema]) {
    if (typeof branch !== 'object') continue;
    for (const [name, field] of Object.entries(branch.properties ?? {})) {
      const taken = typeof field === 'object' ? limitsOf(withoutNull(field)) : field;
      found.set(name, (found.get(name) ?? new Set()).add(JSON.stringify(taken)));
    }
  }
  return new Map([...found].map(([name, taken]) => [name, [...taken].sort().join(' or ')]));
}

test('a creation takes each field of the file within the same limits', () => {
  const differences = Object.entries(KINDS).flatMap(([kind, { body, file }]) => {
    const sent = fieldsOf(body);
    return [...fieldsOf(file)]
      .filter(([name, taken]) => sent.get(name) !== taken)
      .map(([name, taken]) => [`${kind}.${name}`, `${taken} in the file, ${sent.get(name)} here`] as const);
  });
  assert.deepEqual(
    differences.filter(([field]) => !Object.hasOwn(DIFFERENT, field)),
    [],
  );
  const still = new Set<string>(differences.map(([field]) => field));
  assert.deepEqual(
    Object.keys(DIFFERENT).filter((field) => !still.has(field)),
    [],
    'these do not differ any more',
  );
});
