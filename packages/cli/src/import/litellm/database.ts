import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import type { ConfigDraft, ConfigEntryFields } from '../config-draft.ts';
import { toSlug, UniqueNameGenerator } from '../config-draft.ts';
import { type ImportContext, ImportSourceObject, isPlainObject } from '../import-source-object.ts';
import { readBudgetPeriod, readHardBudgetAmount } from './budget-periods.ts';
import type { LitellmDeployment } from './deployment.ts';
import { resolveAllowedModels } from './key-models.ts';

/** The rows of the LiteLLM database, by table name. The value is null if the table does not exist. */
export type LitellmTables = Readonly<Record<string, readonly unknown[] | null>>;

interface DatabaseImport {
  readonly tables: LitellmTables;
  readonly draft: ConfigDraft;
  readonly deployments: readonly LitellmDeployment[];
  readonly context: ImportContext;
}

/** A team, as required by its keys. */
interface Team {
  readonly id: string;
  readonly models: readonly string[];
  readonly isBlocked: boolean;
}

interface People {
  readonly teams: ReadonlyMap<string, Team>;
  /** Email addresses of users by id. Users without an address have their id. */
  readonly owners: ReadonlyMap<string, string>;
  readonly budgets: ReadonlyMap<string, ImportSourceObject>;
}

const UNUSED = 'Floe has no equivalent field';
const SPEND = 'spending starts at 0 in Floe';
const REASONS: Readonly<Record<string, string>> = {
  spend: SPEND,
  model_spend: SPEND,
  budget_reset_at: 'Floe budget periods follow the calendar',
  metadata: 'Floe stores no metadata for keys, teams or users; send metadata with each request',
  created_at: 'Floe sets its own timestamps',
  updated_at: 'Floe sets its own timestamps',
  soft_budget_cooldown: UNUSED,
  aliases: 'Floe aliases apply to all keys; define the aliases as routes',
  allowed_cache_controls: UNUSED,
  permissions: 'write policies in floe.yaml',
  config: UNUSED,
  router_settings: UNUSED,
  policies: 'write policies in floe.yaml',
  allowed_routes: 'restrict the key with scopes and models',
  object_permission_id: UNUSED,
  organization_id: 'the import puts everything into one organization',
  key_name: 'the name of the key is taken from key_alias',
  model_rpm_limit: 'set rpm and model in a limit',
  model_tpm_limit: 'set tpm and model in a limit',
};

/**
 * Adds the teams, budgets, limits and keys of the LiteLLM database to the draft. The database contains only the
 * SHA-256 of each key. Clients can continue to use their keys, because floe.yaml also contains only the
 * SHA-256.
 */
export function importLitellmDatabase(from: DatabaseImport): void {
  const rowsOf = (table: string) => readRows(from, table);
  const budgets = new Map<string, ImportSourceObject>();
  for (const row of rowsOf('LiteLLM_BudgetTable')) {
    const id = row.text('budget_id');
    if (id !== undefined) budgets.set(id, row);
  }
  const teams = readTeams(rowsOf('LiteLLM_TeamTable'), from);
  const owners = readUsers(rowsOf('LiteLLM_UserTable'), from);
  const names = new UniqueNameGenerator();
  for (const row of rowsOf('LiteLLM_VerificationToken'))
    addKey(row, { people: { teams, owners, budgets }, from, names });
  for (const row of budgets.values()) {
    row.leaveOut(REASONS);
    row.leaveOutRest(
      'the import uses only the limits, amounts and durations of budgets that an imported key refers to',
    );
    row.finish();
  }
}

function readRows({ tables, context }: DatabaseImport, table: string): readonly ImportSourceObject[] {
  const rows = tables[table];
  if (rows == null) {
    context.report.record({
      group: table,
      field: table,
      outcome: 'not_imported',
      note: 'the database has no table with this name',
    });
    return [];
  }
  return rows.flatMap((row, index) =>
    isPlainObject(row) ? [new ImportSourceObject(row, `${table}[${index}]`, table, context)] : [],
  );
}

function readTeams(rows: readonly ImportSourceObject[], from: DatabaseImport): ReadonlyMap<string, Team> {
  const ids = new UniqueNameGenerator();
  const teams = new Map<string, Team>();
  for (const row of rows) {
    const source = row.text('team_id');
    if (source === undefined) continue;
    const alias = row.text('team_alias');
    const id = ids.take(toSlug(alias ?? source, 'team'));
    from.draft.teams.push({
      id,
      ...(alias !== undefined && { name: escapeVariableReferences(alias).slice(0, 200) }),
    });
    row.note('team_id', 'changed', `became the id ${id}`);
    addCaps(row, from.draft, { name: `team-${id}`, subject: { scope: 'team', team: id } });
    teams.set(source, { id, models: row.texts('models'), isBlocked: row.boolean('blocked') === true });
    row.note('models', 'changed', 'became the models of each key in the team');
    row.leaveOut(REASONS);
    row.leaveOutRest(UNUSED);
    row.finish();
  }
  return teams;
}

function readUsers(rows: readonly ImportSourceObject[], from: DatabaseImport): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const row of rows) {
    const id = row.text('user_id');
    if (id === undefined) continue;
    const owner = (row.text('user_email') ?? id).slice(0, 200);
    owners.set(id, owner);
    row.note(
      'user_id',
      'changed',
      'user_email became the owner of the keys of this user, or user_id if user_email is not set',
    );
    addCaps(row, from.draft, {
      name: `owner-${owner}`,
      subject: { scope: 'owner', owner: escapeVariableReferences(owner) },
    });
    row.leaveOut(REASONS);
    row.leaveOutRest('invite users to Floe, or set up OpenID Connect');
    row.finish();
  }
  return owners;
}

interface KeyImport {
  readonly people: People;
  readonly from: DatabaseImport;
  readonly names: UniqueNameGenerator;
}

function addKey(row: ImportSourceObject, { people, from, names }: KeyImport): void {
  const token = row.text('token');
  if (token === undefined || !/^[0-9a-f]{64}$/.test(token)) {
    row.note(
      'token',
      'not_imported',
      'must be a SHA-256 hash (64 lowercase hexadecimal digits); create a new key',
    );
    row.leaveOutRest('the key is not imported');
    return;
  }
  const name = names.take(
    escapeVariableReferences(row.text('key_alias') ?? `litellm-${token.slice(0, 12)}`).slice(0, 190),
  );
  row.note('token', 'changed', 'became imported_hash; the value of the key keeps working');
  const team = people.teams.get(row.text('team_id') ?? '');
  const user = row.text('user_id');
  const models = resolveAllowedModels(row.texts('models'), team?.models ?? [], from);
  if (models.note !== '') row.note('models', 'changed', models.note);
  from.draft.keys.push({
    name,
    imported_hash: `sha256:${token}`,
    imported_from: 'litellm',
    ...(team && { team: team.id }),
    ...(user !== undefined && {
      owner: escapeVariableReferences(people.owners.get(user) ?? user).slice(0, 200),
    }),
    ...(models.patterns && { models: models.patterns }),
    ...readExpiry(row, team),
  });
  const place = { name: `key-${name}`, subject: { scope: 'key', key: name } };
  const budgetId = row.text('budget_id');
  const shared = budgetId === undefined ? undefined : people.budgets.get(budgetId);
  addCaps(row, from.draft, place);
  if (shared) addCaps(shared, from.draft, { ...place, name: `${place.name}-shared` });
  if (budgetId !== undefined && !shared)
    row.note('budget_id', 'not_imported', 'the database contains no budget with this id');
  addModelBudgets(row, from.draft, place);
  row.leaveOut(REASONS);
  row.leaveOutRest(UNUSED);
  row.finish();
}

/** A key that is blocked, or whose team is, is imported as expired. */
function readExpiry(row: ImportSourceObject, team: Team | undefined): ConfigEntryFields {
  const isBlocked = row.boolean('blocked') === true;
  const expires = row.text('expires');
  if (isBlocked || team?.isBlocked) {
    row.note(
      'blocked',
      'changed',
      'became an expires_at in the past, because the key or its team is blocked',
    );
    return { expires_at: '1970-01-01T00:00:00Z' };
  }
  if (expires === undefined) return {};
  // Timestamps of LiteLLM are UTC, without an offset.
  const at = new Date(/(Z|[+-]\d\d(:?\d\d)?)$/.test(expires) ? expires : `${expires}Z`);
  if (!Number.isNaN(at.getTime())) return { expires_at: at.toISOString() };
  row.problem('expires', 'must be a timestamp. Example: 2026-11-21T09:00:00Z');
  return {};
}

interface CapPlace {
  readonly name: string;
  readonly subject: ConfigEntryFields;
}

/** Adds limits and budgets of a key, a team or an owner. */
function addCaps(row: ImportSourceObject, draft: ConfigDraft, { name, subject }: CapPlace): void {
  const whole = (value: number | undefined) =>
    value === undefined || value < 1 ? undefined : Math.floor(value);
  const caps = {
    rpm: whole(row.number('rpm_limit')),
    tpm: whole(row.number('tpm_limit')),
    concurrency: whole(row.number('max_parallel_requests')),
  };
  for (const field of ['rpm_limit', 'tpm_limit', 'max_parallel_requests'])
    if (row.number(field) === 0) row.note(field, 'not_imported', 'a Floe limit must be at least 1');
  if (Object.values(caps).some((value) => value !== undefined)) draft.addLimit(name, { ...subject, ...caps });
  const period = readBudgetPeriod(row, 'budget_duration', ['max_budget', 'soft_budget']);
  if (period === null) return;
  const max = readHardBudgetAmount(row, 'max_budget');
  if (max !== undefined) draft.addBudget(name, { ...subject, period, limit_usd: max });
  const soft = row.number('soft_budget');
  if (soft === 0) row.note('soft_budget', 'not_imported', 'a Floe budget must be greater than 0');
  if (soft !== undefined && soft > 0)
    draft.addBudget(`${name}-soft`, { ...subject, period, limit_usd: soft, mode: 'soft' });
}

/** Parses `{model: {budget_limit, time_period}}` or `{model: amount}`. */
function addModelBudgets(row: ImportSourceObject, draft: ConfigDraft, { name, subject }: CapPlace): void {
  const budgets = row.object('model_max_budget');
  for (const model of budgets?.names() ?? []) {
    const budget = budgets && readModelBudget(budgets, model);
    if (budget)
      draft.addBudget(`${name}-${model}`, { ...subject, model: escapeVariableReferences(model), ...budget });
  }
  budgets?.finish();
}

function readModelBudget(budgets: ImportSourceObject, model: string): ConfigEntryFields | null {
  const value = budgets.raw(model);
  if (!isPlainObject(value)) {
    const limit = readHardBudgetAmount(budgets, model);
    return limit === undefined ? null : { period: 'total', limit_usd: limit };
  }
  const detail = budgets.child(value, budgets.fieldPath(model));
  const amount = detail.has('budget_limit') ? 'budget_limit' : 'max_budget';
  const duration = detail.has('time_period') ? 'time_period' : 'budget_duration';
  const period = readBudgetPeriod(detail, duration, [amount]);
  const limit = period === null ? undefined : readHardBudgetAmount(detail, amount);
  detail.finish();
  return period === null || limit === undefined ? null : { period, limit_usd: limit };
}
