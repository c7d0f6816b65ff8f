import { isObject, type JsonObject } from '@floe/contract/json';
import { storedBudget, storedLimit } from '../../guardrails/stored-rules.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { allChannels, type ChannelRow } from '../../store/channels.ts';
import { credentialsOf, entriesOfOrg } from '../../store/config-entries.ts';
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
  const of = (kind: string) => entries.filter((entry) => entry.kind === kind).map((entry) => parsed(entry));
  const settings = entries
    .filter(({ kind }) => kind === 'settings')
    .map((entry) => [entry.id, parsed(entry)['value']]);
  const providers = exportedProviders(
    {
      rows: entries.filter(({ kind }) => kind === 'providers'),
      credentials: await credentialsOf(reader, orgId),
    },
    host.providers,
    orgId,
    placeholders,
  );
  const lists = {
    teams: (await teamsOfOrg(reader, orgId)).map(({ id, name, cost_center }) => ({ id, name, cost_center })),
    keys: await exportedKeys(reader, orgId, nowMs, placeholders),
    providers,
    routes: of('routes'),
    ...(await exportedRules(reader, orgId, host)),
    policies: of('policies'),
    channels: (await allChannels(reader))
      .filter((channel) => channel.org_id === orgId && channel.enabled === 1)
      .map((channel) => exportedChannel(channel, placeholders)),
    monitors: (await monitorsOfOrg(reader, orgId))
      .filter(({ disabled_at }) => disabled_at === null)
      .map((monitor) => monitorConfig(monitor, nowMs)),
    boards: (await allBoards(reader))
      .filter(({ org_id }) => org_id === orgId)
      .map((board) => ({
        slug: board.slug,
        name: board.name,
        public: board.public === 1,
        timezone: board.timezone,
        groups: JSON.parse(board.groups_json),
      })),
  };
  const filled = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
  const { config } = host.providers.orgs(orgId);
  const timezone = config?.timezone ?? row?.timezone ?? 'UTC';
  const org = { id: orgId, name: row?.name ?? orgId, timezone, ...Object.fromEntries(settings), ...filled };
  const tree = asJson(withoutEmpty({ orgs: [org] }));
  return { tree: isObject(tree) ? tree : {}, placeholders };
}

async function exportedRules(reader: Reader, orgId: string, host: ConfigHost) {
  const declared = host.rules.fileRules(orgId);
  const limits = (await rulesOfOrg(reader, 'limits', orgId))
    .toReversed()
    .map((row) => storedLimit(row).config);
  const budgets = (await rulesOfOrg(reader, 'budgets', orgId))
    .toReversed()
    .map((row) => storedBudget(row).config);
  return {
    limits: [...declared.limits.map(({ config }) => config), ...limits],
    budgets: [...declared.budgets.map(({ config }) => config), ...budgets],
  };
}

async function exportedKeys(reader: Reader, orgId: string, nowMs: number, placeholders: Placeholders) {
  const rows = (await allKeys(reader)).filter(
    (row) =>
      row.org_id === orgId && row.revoked_at === null && (row.expires_at === null || row.expires_at > nowMs),
  );
  return rows.map((row) => ({
    name: row.name,
    key: placeholders.for(['key', row.name], `the platform key "${row.name}", which ends in ${row.last4}`),
    scopes: JSON.parse(row.scopes_json),
    team: row.team,
    owner: row.owner,
    models: row.models_json === null ? null : JSON.parse(row.models_json),
    paths: row.paths_json ? JSON.parse(row.paths_json) : null,
    expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
  }));
}

/** Secrets by kind; those that a channel need not have are left out, for nobody can tell whether it has one. */
const CHANNEL_SECRETS: Readonly<Record<string, readonly string[]>> = {
  webhook: ['url'],
  slack: ['url'],
  discord: ['url'],
  teams: ['url'],
  ntfy: ['url'],
  pagerduty: ['routing_key'],
  telegram: ['bot_token'],
};

function exportedChannel({ name, kind, settings_json }: ChannelRow, placeholders: Placeholders) {
  const secrets = (CHANNEL_SECRETS[kind] ?? []).map((field) => [
    field,
    placeholders.for(['channel', name, field], `${field} of the channel "${name}"`),
  ]);
  return { ...JSON.parse(settings_json), name, kind, ...Object.fromEntries(secrets) };
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
