import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import { type ConfigDraft, toSlug, UniqueNameGenerator } from './config-draft.ts';
import type { ImportSourceObject } from './import-source-object.ts';
import { readBudgetPeriod } from './litellm/budget-periods.ts';

interface Governance {
  readonly draft: ConfigDraft;
  readonly budgets: ReadonlyMap<string, ImportSourceObject>;
  readonly limits: ReadonlyMap<string, ImportSourceObject>;
  readonly teams: ReadonlyMap<string, string>;
  readonly names: UniqueNameGenerator;
}

/** What a limit or budget applies to. */
interface Subject {
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Adds the teams, virtual keys, budgets and rate limits of Bifrost to the draft. Clients can continue to use
 * their keys, because floe.yaml contains the SHA-256 of each key.
 * @param hash Returns the SHA-256 of a text in hexadecimal.
 */
export function addBifrostGovernance(
  source: ImportSourceObject,
  draft: ConfigDraft,
  hash: (value: string) => string,
): void {
  const budgets = indexById(source.objects('budgets'));
  const limits = indexById(source.objects('rate_limits'));
  const teams = new Map<string, string>();
  const governance = { draft, budgets, limits, teams, names: new UniqueNameGenerator() };
  const ids = new UniqueNameGenerator();
  for (const team of source.objects('teams')) {
    const id = team.text('id');
    const name = team.text('name');
    if (id === undefined) {
      team.leaveOutAll('the team has no id');
      continue;
    }
    const slug = ids.take(toSlug(name ?? id, 'team'));
    teams.set(id, slug);
    draft.teams.push({
      id: slug,
      ...(name !== undefined && { name: escapeVariableReferences(name).slice(0, 200) }),
    });
    addCaps(team, { name: `team-${slug}`, fields: { scope: 'team', team: slug } }, governance);
    team.leaveOut({
      customer_id: 'Floe has no equivalent of customers; create an organization for each customer',
    });
    team.finish();
  }
  for (const customer of source.objects('customers')) {
    customer.leaveOutRest('Floe has no equivalent of customers; create an organization for each customer');
    customer.finish();
  }
  for (const key of source.objects('virtual_keys')) addKey(key, governance, hash);
  for (const row of [...budgets.values(), ...limits.values()]) {
    row.leaveOutRest(
      'the import uses only the limits and budgets of imported teams and keys; counters start at 0 in Floe',
    );
    row.finish();
  }
  source.finish();
}

function indexById(rows: readonly ImportSourceObject[]): ReadonlyMap<string, ImportSourceObject> {
  return new Map(
    rows.flatMap((row) => {
      const id = row.text('id');
      return id === undefined ? [] : [[id, row] as const];
    }),
  );
}

function addKey(key: ImportSourceObject, governance: Governance, hash: (value: string) => string): void {
  const { draft, teams, names } = governance;
  const value = key.literalSecret('value');
  const team = findReferenced(key, 'team_id', teams);
  const models = readModels(key);
  const isActive = key.boolean('is_active') !== false;
  if (value === undefined) {
    key.note('value', 'not_imported', 'the source does not contain the value of the key; create a new key');
    key.leaveOutRest('the key is not imported because its value is unknown');
    return;
  }
  const name = names.take(
    escapeVariableReferences(key.text('name') ?? key.text('id') ?? 'bifrost').slice(0, 190),
  );
  key.note('value', 'changed', 'became imported_hash; the value of the key keeps working');
  if (!isActive)
    key.note('is_active', 'changed', 'became an expires_at in the past, because the key is inactive');
  draft.keys.push({
    name,
    imported_hash: `sha256:${hash(value)}`,
    imported_from: 'bifrost',
    ...(team !== undefined && { team }),
    ...(models.length > 0 && { models }),
    ...(!isActive && { expires_at: '1970-01-01T00:00:00Z' }),
  });
  addCaps(key, { name: `key-${name}`, fields: { scope: 'key', key: name } }, governance);
  key.leaveOut({
    description: 'keys have no description in Floe',
    customer_id: 'Floe has no equivalent of customers; create an organization for each customer',
    mcp_configs: 'Floe is not an MCP gateway; the relay controls which tools agents use',
    keys: 'a platform key can use all credentials of a provider',
  });
  key.finish();
}

/** Allowed models by provider. Without any, every model is allowed. */
function readModels(key: ImportSourceObject): readonly string[] {
  return key.objects('provider_configs').flatMap((config) => {
    const provider = toSlug(config.text('provider') ?? '', 'provider');
    const models = config.texts('allowed_models').map(escapeVariableReferences);
    config.leaveOut({ weight: 'keys have no weights in Floe; set the weights of targets in a route' });
    config.leaveOutRest('to limit one provider, set the field model in a limit or budget');
    config.finish();
    return models.length === 0 ? [`${provider}/*`] : models.map((model) => `${provider}/${model}`);
  });
}

const ZERO_REASON =
  'a Floe limit or budget must be greater than 0; to prevent requests, revoke the keys or restrict their models';

/** Finds the object that a field names by its id. If there is none, reports that the field is not imported. */
function findReferenced<Found>(
  row: ImportSourceObject,
  field: string,
  byId: ReadonlyMap<string, Found>,
): Found | undefined {
  const id = row.text(field);
  const found = id === undefined ? undefined : byId.get(id);
  if (id !== undefined && found === undefined)
    row.note(field, 'not_imported', 'the source contains no object with this id');
  return found;
}

function addCaps(
  row: ImportSourceObject,
  { name, fields }: Subject,
  { draft, budgets, limits }: Governance,
): void {
  const budget = findReferenced(row, 'budget_id', budgets);
  const max = budget?.number('max_limit');
  const period = budget && readBudgetPeriod(budget, 'reset_duration', ['max_limit']);
  if (max !== undefined && max > 0 && period) draft.addBudget(name, { ...fields, period, limit_usd: max });
  if (budget && max === 0) budget.note('max_limit', 'not_imported', ZERO_REASON);
  const limit = findReferenced(row, 'rate_limit_id', limits);
  if (!limit) return;
  const rpm = readRate(limit, 'request');
  const tpm = readRate(limit, 'token');
  if (rpm !== undefined || tpm !== undefined) draft.addLimit(name, { ...fields, rpm, tpm });
}

/** Converts a rate limit to 60 seconds, proportionally and to at least 1. */
function readRate(limit: ImportSourceObject, what: string): number | undefined {
  const max = limit.number(`${what}_max_limit`);
  const duration = limit.text(`${what}_reset_duration`) ?? '1m';
  if (max === 0) limit.note(`${what}_max_limit`, 'not_imported', ZERO_REASON);
  if (max === undefined || max === 0) return undefined;
  const [, count = '', unit = ''] = /^(\d+)([smhdwMY])$/.exec(duration) ?? [];
  const minutes: Readonly<Record<string, number>> = {
    s: 1 / 60,
    m: 1,
    h: 60,
    d: 1_440,
    w: 10_080,
    M: 43_200,
    Y: 525_600,
  };
  const length = Number(count) * (minutes[unit] ?? Number.NaN);
  if (!(length > 0)) {
    for (const field of [`${what}_reset_duration`, `${what}_max_limit`])
      limit.note(
        field,
        'not_imported',
        `the limit is not imported because Floe does not support the duration in ${what}_reset_duration`,
      );
    return undefined;
  }
  if (length !== 1)
    limit.note(
      `${what}_reset_duration`,
      'changed',
      'became one minute; the limit was changed proportionally',
    );
  return Math.max(1, Math.floor(max / length));
}
