import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { isObject } from '@floe/contract/json';
import { secretNames } from '../../alerts/stored-channel.ts';
import { fileRuleId } from '../../guardrails/rules.ts';
import { storedBudget, storedLimit } from '../../guardrails/stored-rules.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { storedRelayRule } from '../../relay/stored-rules.ts';
import { allChannels } from '../../store/channels.ts';
import { type EntryKind, entriesOfOrg } from '../../store/config-entries.ts';
import { type GuardrailKind, type GuardrailRow, rulesOfOrg } from '../../store/guardrail-rules.ts';
import { allBoards } from '../../store/monitoring/boards.ts';
import { monitorsOfOrg } from '../../store/monitoring/definitions.ts';
import { allKeys, type PlatformKeyRow } from '../../store/platform-keys.ts';
import { teamsOfOrg } from '../../store/teams.ts';
import { monitorConfig } from '../monitors/draft.ts';
import { type DocumentKind, type ExistingObject, listKind, type OrgReading } from './document-kind.ts';
import { existingProviders, providerBody } from './document-providers.ts';
import { CACHE, ORG, SETTINGS } from './document-settings.ts';
import type { Placeholders } from './placeholders.ts';

/** Everything that a document may say, in the order in which later kinds may name earlier ones. */
export const KINDS: readonly DocumentKind[] = [
  ORG,
  listKind({
    kind: 'teams',
    isNamed: true,
    list: ({ teams }) => teams,
    nameOf: ({ id }) => id,
    existing: async ({ reader, orgId }) =>
      (await teamsOfOrg(reader, orgId)).map(({ id, source, name, cost_center }) => ({
        id,
        source,
        entry: () => ({ id, name, cost_center }),
      })),
  }),
  listKind({
    kind: 'keys',
    // Whoever uses a key would be shut out, the one who asks among them.
    isKept: true,
    verb: 'keys.apply',
    list: ({ keys }) => keys,
    nameOf: ({ name }) => name,
    existing: async ({ reader, orgId, nowMs }) =>
      ofOrg(await allKeys(reader), orgId, ({ name }) => name)
        .filter(({ revoked_at }) => revoked_at === null)
        .map((row) => ({
          id: row.name,
          apiId: row.id,
          source: row.source,
          entry: (secrets) =>
            row.expires_at !== null && row.expires_at <= nowMs ? null : keyEntry(row, secrets),
        })),
  }),
  listKind({
    kind: 'channels',
    isNamed: true,
    list: ({ channels }) => channels,
    nameOf: ({ name }) => name,
    existing: async ({ reader, orgId, host }) =>
      ofOrg(await allChannels(reader), orgId, ({ name }) => name).map((row) => ({
        id: row.name,
        apiId: row.id,
        source: row.source,
        entry(secrets) {
          if (row.enabled === 0) return null;
          const { name, kind, settings_json } = row;
          const named = secretNames(row, host.providers.key).map((field) => [
            field,
            secrets.for(['channel', name, field], `${field} of the channel "${name}"`),
          ]);
          return { ...JSON.parse(settings_json), name, kind, ...Object.fromEntries(named) };
        },
      })),
  }),
  listKind({
    kind: 'monitors',
    list: ({ monitors }) => monitors,
    nameOf: ({ id }) => id,
    // A date alone means a pause: its default beside it would deny that.
    body: ({ paused, ...monitor }) => ({ ...monitor, ...(paused && { paused }) }),
    existing: async ({ reader, orgId, nowMs }) =>
      (await monitorsOfOrg(reader, orgId))
        .filter(({ disabled_at }) => disabled_at === null)
        .map((row) => ({ id: row.id, source: row.source, entry: () => monitorConfig(row, nowMs) })),
  }),
  listKind({
    kind: 'boards',
    list: ({ boards }) => boards,
    nameOf: ({ slug }) => slug,
    existing: async ({ reader, orgId }) =>
      ofOrg(await allBoards(reader), orgId).map(({ id, slug, name, timezone, source, ...row }) => ({
        id: slug,
        apiId: id,
        source,
        entry: () => ({
          slug,
          name,
          public: row.public === 1,
          timezone,
          groups: JSON.parse(row.groups_json),
        }),
      })),
  }),
  listKind({
    kind: 'providers',
    isNamed: true,
    list: ({ providers }) => providers,
    nameOf: ({ id }) => id,
    body: providerBody,
    existing: existingProviders,
  }),
  SETTINGS,
  CACHE,
  listKind({
    kind: 'routes',
    isOrdered: true,
    list: ({ routes }) => routes,
    nameOf: ({ model }) => model,
    existing: (reading) => entries('routes', reading),
  }),
  listKind({
    kind: 'policies',
    isOrdered: true,
    list: ({ policies }) => policies,
    nameOf: ({ name }) => name,
    existing: (reading) => entries('policies', reading),
  }),
  listKind({
    kind: 'limits',
    takesReason: true,
    list: ({ limits }) => limits,
    nameOf: fileRuleId,
    meaningOf,
    existing: (reading) =>
      rules(reading, {
        kind: 'limits',
        declared: reading.host.rules.fileRules(reading.orgId).limits.map(({ config }) => config),
        nameOf: fileRuleId,
        meaningOf,
        configOf: (row) => storedLimit(row).config,
      }),
  }),
  listKind({
    kind: 'budgets',
    takesReason: true,
    list: ({ budgets }) => budgets,
    nameOf: fileRuleId,
    meaningOf,
    existing: (reading) =>
      rules(reading, {
        kind: 'budgets',
        declared: reading.host.rules.fileRules(reading.orgId).budgets.map(({ config }) => config),
        nameOf: fileRuleId,
        meaningOf,
        configOf: (row) => storedBudget(row).config,
      }),
  }),
  listKind({
    kind: 'relay_rules',
    section: ['relay', 'rules'],
    list: ({ relay }) => relay.rules,
    nameOf: ({ name }) => name,
    meaningOf: ({ name }) => name,
    existing: (reading) =>
      rules(reading, {
        kind: 'relay_rules',
        declared: reading.host.relay.fileRelay(reading.orgId)?.config.rules ?? [],
        nameOf: ({ name }) => name,
        meaningOf: ({ name }) => name,
        configOf: storedRelayRule,
      }),
  }),
];

const BY_NAME: ReadonlyMap<string, DocumentKind> = new Map(KINDS.map((kind) => [kind.kind, kind]));

export function kindNamed(name: string): DocumentKind {
  const kind = BY_NAME.get(name);
  if (!kind) throw new Error(`a document has no ${name}`);
  return kind;
}

/** Those of an org, by name where order says nothing else: an export of the same org is the same text. */
function ofOrg<Row extends { readonly org_id: string }>(
  rows: readonly Row[],
  orgId: string,
  nameOf?: (row: Row) => string,
): Row[] {
  const own = rows.filter(({ org_id }) => org_id === orgId);
  return nameOf ? own.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)) : own;
}

function keyEntry(row: PlatformKeyRow, secrets: Placeholders): object {
  const { name, team, owner, expires_at } = row;
  return {
    name,
    key: secrets.for(['key', name], `the platform key "${name}", which ends in ${row.last4}`),
    scopes: JSON.parse(row.scopes_json),
    team,
    owner,
    models: row.models_json === null ? null : JSON.parse(row.models_json),
    paths: row.paths_json ? JSON.parse(row.paths_json) : null,
    expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
  };
}

async function entries(kind: EntryKind, { reader, orgId }: OrgReading): Promise<ExistingObject[]> {
  const rows = await entriesOfOrg(reader, orgId, kind);
  return rows.map((row) => ({ id: row.id, source: row.source, entry: () => parsed(row) }));
}

interface RuleKind<Config extends object> {
  readonly kind: GuardrailKind;
  /** Rules of floe.yaml, which are not stored. */
  readonly declared: readonly Config[];
  nameOf(config: Config): string;
  meaningOf(config: Config): string;
  configOf(row: GuardrailRow): Config;
}

async function rules<Config extends object>(
  { reader, orgId }: OrgReading,
  { kind, declared, nameOf, meaningOf: meaning, configOf }: RuleKind<Config>,
): Promise<ExistingObject[]> {
  const rows = (await rulesOfOrg(reader, kind, orgId)).toReversed();
  return [
    ...declared.map((config) => ({ id: nameOf(config), source: 'file', entry: () => config })),
    ...rows.map((row) => {
      const config = configOf(row);
      return { id: row.id, source: 'console', meaning: meaning(config), entry: () => config };
    }),
  ];
}

/** A rule is the stored one of its name, and without a name the one that says the same. */
function meaningOf(rule: LimitConfig | BudgetConfig): string {
  if (rule.name !== undefined) return JSON.stringify({ name: rule.name });
  return JSON.stringify(rule, (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
