import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { ExportedKind } from '@floe/contract/exported-kinds';
import { isObject, type JsonObject } from '@floe/contract/json';
import { secretNames } from '../../alerts/stored-channel.ts';
import { fileRuleId } from '../../guardrails/rules.ts';
import { storedBudget, storedLimit } from '../../guardrails/stored-rules.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import type { SecretsKey } from '../../platform/secrets.ts';
import { storedRelayRule } from '../../relay/stored-rules.ts';
import { allChannels, type ChannelRow } from '../../store/channels.ts';
import { credentialsOf, type EntryRow, entriesOfOrg } from '../../store/config-entries.ts';
import { rulesOfOrg } from '../../store/guardrail-rules.ts';
import { allBoards } from '../../store/monitoring/boards.ts';
import { monitorsOfOrg } from '../../store/monitoring/definitions.ts';
import { orgById } from '../../store/orgs.ts';
import { allKeys } from '../../store/platform-keys.ts';
import type { Reader } from '../../store/ports.ts';
import { teamsOfOrg } from '../../store/teams.ts';
import { asJson } from '../input.ts';
import { monitorConfig } from '../monitors/draft.ts';
import type { ConfigHost } from './config-host.ts';
import { exportedProviders } from './exported-providers.ts';
import { Placeholders } from './placeholders.ts';

/** A whole org as floe.yaml would say it, and what its placeholders stand for. */
export interface ExportedOrg {
  readonly tree: JsonObject;
  readonly placeholders: Placeholders;
}

/** An entry of a section, and what the API calls it; some go by two names. */
interface ExportedEntry {
  readonly id: string;
  readonly alias?: string;
  readonly entry: unknown;
}

type Sections = Readonly<Record<ExportedKind, readonly ExportedEntry[]>>;

/** What is in force for an org, wherever it stands; secrets as `${NAME}`. */
export async function exportOrg(
  reader: Reader,
  orgId: string,
  host: ConfigHost,
  nowMs: number,
): Promise<ExportedOrg> {
  const placeholders = new Placeholders();
  const row = await orgById(reader, orgId);
  const entries = await entriesOfOrg(reader, orgId);
  const { relay: governed, ...settings } = Object.fromEntries(
    entries
      .filter(({ kind }) => kind === 'settings')
      .map((entry): [string, unknown] => [entry.id, parsed(entry)['value']]),
  );
  const sections = await exportedSections({ reader, orgId, host, nowMs, entries, placeholders });
  const filled = Object.fromEntries(
    Object.entries(sections).flatMap(([kind, list]) =>
      list.length === 0 ? [] : [[kind, list.map(({ entry }) => entry)]],
    ),
  );
  const { config } = host.providers.orgs(orgId);
  const timezone = config?.timezone ?? row?.timezone ?? 'UTC';
  const relay = await exportedRelay(reader, orgId, host, governed);
  const org = { id: orgId, name: row?.name ?? orgId, timezone, ...settings, ...relay, ...filled };
  return { tree: treeOf({ orgs: [org] }), placeholders };
}

/** One entry in its section; null when there is none of this id. */
export async function exportEntry(
  reader: Reader,
  orgId: string,
  { kind, id }: { readonly kind: ExportedKind; readonly id: string },
  host: ConfigHost,
  nowMs: number,
): Promise<ExportedOrg | null> {
  const placeholders = new Placeholders();
  const entries = await entriesOfOrg(reader, orgId);
  const sections = await exportedSections({ reader, orgId, host, nowMs, entries, placeholders });
  const found = sections[kind].find((one) => one.id === id || one.alias === id);
  return found ? { tree: treeOf({ [kind]: [found.entry] }), placeholders } : null;
}

interface Exporting {
  readonly reader: Reader;
  readonly orgId: string;
  readonly host: ConfigHost;
  readonly nowMs: number;
  readonly entries: readonly EntryRow[];
  readonly placeholders: Placeholders;
}

async function exportedSections({
  reader,
  orgId,
  host,
  nowMs,
  entries,
  placeholders,
}: Exporting): Promise<Sections> {
  const of = (kind: string) =>
    entries.filter((entry) => entry.kind === kind).map((entry) => ({ id: entry.id, entry: parsed(entry) }));
  const providers = exportedProviders(
    {
      rows: entries.filter(({ kind }) => kind === 'providers'),
      credentials: await credentialsOf(reader, orgId),
    },
    host.providers,
    orgId,
    placeholders,
  );
  return {
    teams: (await teamsOfOrg(reader, orgId)).map(({ id, name, cost_center }) => ({
      id,
      entry: { id, name, cost_center },
    })),
    keys: await exportedKeys(reader, orgId, nowMs, placeholders),
    providers: providers.map((entry) => ({ id: String(entry['id']), entry })),
    routes: of('routes'),
    ...(await exportedRules(reader, orgId, host)),
    policies: of('policies'),
    channels: (await allChannels(reader))
      .filter((channel) => channel.org_id === orgId && channel.enabled === 1)
      .sort(byName)
      .map((channel) => ({
        id: channel.id,
        alias: channel.name,
        entry: exportedChannel(channel, host.providers.key, placeholders),
      })),
    monitors: (await monitorsOfOrg(reader, orgId))
      .filter(({ disabled_at }) => disabled_at === null)
      .map((monitor) => ({ id: monitor.id, entry: monitorConfig(monitor, nowMs) })),
    boards: (await allBoards(reader))
      .filter(({ org_id }) => org_id === orgId)
      .map((board) => ({
        id: board.id,
        alias: board.slug,
        entry: {
          slug: board.slug,
          name: board.name,
          public: board.public === 1,
          timezone: board.timezone,
          groups: JSON.parse(board.groups_json),
        },
      })),
  };
}

function treeOf(value: object): JsonObject {
  const tree = asJson(withoutEmpty(value));
  return isObject(tree) ? tree : {};
}

async function exportedRules(reader: Reader, orgId: string, host: ConfigHost) {
  const declared = host.rules.fileRules(orgId);
  const limits = (await rulesOfOrg(reader, 'limits', orgId)).toReversed().map(storedLimit);
  const budgets = (await rulesOfOrg(reader, 'budgets', orgId)).toReversed().map(storedBudget);
  const entryOf = ({ config }: { readonly config: LimitConfig | BudgetConfig }) => ({
    id: fileRuleId(config),
    entry: config,
  });
  const storedOf = ({ id, config }: { readonly id: string; readonly config: object }) => ({
    id,
    entry: config,
  });
  return {
    limits: [...declared.limits.map(entryOf), ...limits.map(storedOf)],
    budgets: [...declared.budgets.map(entryOf), ...budgets.map(storedOf)],
  };
}

/** Settings and rules stand apart in the store, and in one section of the file. */
async function exportedRelay(
  reader: Reader,
  orgId: string,
  { rules: declared }: ConfigHost,
  settings: unknown,
): Promise<{ readonly relay?: object }> {
  const stored = (await rulesOfOrg(reader, 'relay_rules', orgId)).toReversed();
  const inFile = declared.fileRules(orgId).relay_rules.map(({ config }) => config);
  const rules = [...inFile, ...stored.map(storedRelayRule)];
  if (settings === undefined && rules.length === 0) return {};
  return { relay: { ...(isObject(settings) && settings), ...(rules.length > 0 && { rules }) } };
}

async function exportedKeys(reader: Reader, orgId: string, nowMs: number, placeholders: Placeholders) {
  const rows = (await allKeys(reader)).filter(
    (row) =>
      row.org_id === orgId && row.revoked_at === null && (row.expires_at === null || row.expires_at > nowMs),
  );
  return rows.sort(byName).map((row) => ({
    id: row.id,
    entry: {
      name: row.name,
      key: placeholders.for(['key', row.name], `the platform key "${row.name}", which ends in ${row.last4}`),
      scopes: JSON.parse(row.scopes_json),
      team: row.team,
      owner: row.owner,
      models: row.models_json === null ? null : JSON.parse(row.models_json),
      paths: row.paths_json ? JSON.parse(row.paths_json) : null,
      expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    },
  }));
}

function exportedChannel(row: ChannelRow, key: SecretsKey, placeholders: Placeholders) {
  const { name, kind, settings_json } = row;
  const secrets = secretNames(row, key).map((field) => [
    field,
    placeholders.for(['channel', name, field], `${field} of the channel "${name}"`),
  ]);
  return { ...JSON.parse(settings_json), name, kind, ...Object.fromEntries(secrets) };
}

/** Where order says nothing, an export of the same org is the same text. */
function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** What is null or undefined has its default in floe.yaml. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === null || inner === undefined ? [] : [[name, withoutEmpty(inner)]],
    ),
  );
}
