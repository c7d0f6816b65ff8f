import { keyFieldsStoredAsIs } from '@floe/contract/api/keys';
import { teamFieldsStoredAsIs } from '@floe/contract/api/teams';
import { STORED_CHANNEL_RESOURCE_KIND } from '../../alerts/config-file-channels.ts';
import { listChannelSecretNames } from '../../alerts/stored-channel.ts';
import {
  CONFIG_FILE_BUDGET_RESOURCE_KIND,
  CONFIG_FILE_LIMIT_RESOURCE_KIND,
} from '../../guardrails/config-file-limits-and-budgets.ts';
import { parseStoredBudget, parseStoredLimit } from '../../guardrails/stored-limits-and-budgets.ts';
import {
  CONFIG_FILE_BOARD_RESOURCE_KIND,
  toBoardSettings,
} from '../../monitoring/boards/config-file-boards.ts';
import { STORED_MONITOR_RESOURCE_KIND } from '../../monitoring/config-file-monitors.ts';
import {
  CONFIG_FILE_POLICY_RESOURCE_KIND,
  CONFIG_FILE_ROUTE_RESOURCE_KIND,
} from '../../platform/config/config-file-entries.ts';
import { parseStoredConfigEntry } from '../../platform/config/stored-config.ts';
import { STORED_PLATFORM_KEY_RESOURCE_KIND } from '../../platform/config-file-platform-keys.ts';
import { CONFIG_FILE_TEAM_RESOURCE_KIND } from '../../platform/config-file-teams.ts';
import { CONFIG_FILE_RELAY_RULE_RESOURCE_KIND } from '../../relay/config-file-relay-rules.ts';
import { parseStoredRelayRule } from '../../relay/stored-relay-rules.ts';
import type { ChannelRow } from '../../store/channels.ts';
import type { PlatformKeyRow } from '../../store/platform-keys.ts';
import { toMonitorConfig } from '../monitors/monitor-definition.ts';
import { PROVIDER_DOCUMENT_RESOURCE_KIND } from './document-providers.ts';
import {
  type DocumentResourceKind,
  defineStoredDocumentResourceKind,
  type OrgReadContext,
} from './document-resource-kind.ts';
import { defineDocumentRuleResourceKind } from './document-rules.ts';
import {
  CACHE_DOCUMENT_RESOURCE_KIND,
  ORG_DOCUMENT_RESOURCE_KIND,
  SETTINGS_DOCUMENT_RESOURCE_KIND,
} from './document-settings.ts';
import type { SecretPlaceholders } from './secret-placeholders.ts';

/**
 * All resource kinds that a configuration document can contain. A resource may refer only to resources of kinds
 * that are listed before its own kind.
 */
export const DOCUMENT_RESOURCE_KINDS: readonly DocumentResourceKind[] = [
  ORG_DOCUMENT_RESOURCE_KIND,
  defineStoredDocumentResourceKind(CONFIG_FILE_TEAM_RESOURCE_KIND, (row) => ({
    id: row.id,
    ...teamFieldsStoredAsIs.parse(row),
  })),
  // Pruning keeps keys: removing them would lock out their users, possibly including the caller.
  defineStoredDocumentResourceKind(STORED_PLATFORM_KEY_RESOURCE_KIND, toKeyEntry, {
    operation: 'keys.apply',
    isNeverPruned: true,
    isSortedByName: true,
    select: selectOneKeyPerName,
  }),
  defineStoredDocumentResourceKind(STORED_CHANNEL_RESOURCE_KIND, toChannelEntry, { isSortedByName: true }),
  defineStoredDocumentResourceKind(
    STORED_MONITOR_RESOURCE_KIND,
    (row, _, { nowMs }) => toMonitorConfig(row, nowMs),
    {
      // `paused_until` alone pauses the monitor. The default value of `paused` (false) would contradict it.
      toBody: ({ paused, ...monitor }) => ({ ...monitor, ...(paused && { paused }) }),
    },
  ),
  defineStoredDocumentResourceKind(CONFIG_FILE_BOARD_RESOURCE_KIND, toBoardSettings),
  PROVIDER_DOCUMENT_RESOURCE_KIND,
  SETTINGS_DOCUMENT_RESOURCE_KIND,
  CACHE_DOCUMENT_RESOURCE_KIND,
  defineStoredDocumentResourceKind(CONFIG_FILE_ROUTE_RESOURCE_KIND, parseStoredConfigEntry, {
    isOrdered: true,
  }),
  defineStoredDocumentResourceKind(CONFIG_FILE_POLICY_RESOURCE_KIND, parseStoredConfigEntry, {
    isOrdered: true,
  }),
  defineDocumentRuleResourceKind(
    CONFIG_FILE_LIMIT_RESOURCE_KIND,
    ({ limits }) => limits,
    (row) => parseStoredLimit(row).config,
    true,
  ),
  defineDocumentRuleResourceKind(
    CONFIG_FILE_BUDGET_RESOURCE_KIND,
    ({ budgets }) => budgets,
    (row) => parseStoredBudget(row).config,
    true,
  ),
  defineDocumentRuleResourceKind(
    CONFIG_FILE_RELAY_RULE_RESOURCE_KIND,
    ({ relayRules }) => relayRules,
    parseStoredRelayRule,
  ),
];

const KINDS_BY_NAME: ReadonlyMap<string, DocumentResourceKind> = new Map(
  DOCUMENT_RESOURCE_KINDS.map((kind) => [kind.kind, kind]),
);

/**
 * Returns the resource kind that has this name in configuration documents.
 * @throws Error if no resource kind has this name
 */
export function getDocumentResourceKind(name: string): DocumentResourceKind {
  const kind = KINDS_BY_NAME.get(name);
  if (!kind) {
    const known = [...KINDS_BY_NAME.keys()].join(', ');
    throw new Error(`"${name}" is not a kind of resource that a document can contain; use one of: ${known}`);
  }
  return kind;
}

/** Returns, for each name, the key that expires last. Only expired keys can share the name of another key. */
function selectOneKeyPerName(rows: readonly PlatformKeyRow[]): PlatformKeyRow[] {
  const expiryOf = ({ expires_at }: PlatformKeyRow) => expires_at ?? Number.MAX_SAFE_INTEGER;
  const sorted = rows.toSorted((one, other) => expiryOf(one) - expiryOf(other));
  return [...new Map(sorted.map((row) => [row.name, row])).values()];
}

function toKeyEntry(
  row: PlatformKeyRow,
  placeholders: SecretPlaceholders,
  { nowMs, namedKeys }: OrgReadContext,
): object | null {
  const { expires_at } = row;
  const isExpired = expires_at !== null && expires_at <= nowMs;
  if (isExpired && !namedKeys?.has(row.name)) return null;
  const { name, ...plain } = keyFieldsStoredAsIs.parse(row);
  return {
    name,
    key: placeholders.create(['key', name], `the platform key "${name}"; its value ends in ${row.last4}`),
    scopes: JSON.parse(row.scopes_json),
    ...plain,
    models: row.models_json === null ? null : JSON.parse(row.models_json),
    paths: row.paths_json ? JSON.parse(row.paths_json) : null,
    expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
  };
}

function toChannelEntry(
  row: ChannelRow,
  placeholders: SecretPlaceholders,
  { dependencies }: OrgReadContext,
): object {
  const { name, kind, enabled, settings_json } = row;
  const secrets = listChannelSecretNames(row, dependencies.providers.secretsKey).map((field) => [
    field,
    placeholders.create(['channel', name, field], `the ${field} of the channel "${name}"`),
  ]);
  return { ...JSON.parse(settings_json), name, kind, enabled: enabled === 1, ...Object.fromEntries(secrets) };
}
