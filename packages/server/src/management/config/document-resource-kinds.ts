import { storedKeyFields } from '@floe/contract/api/keys';
import { storedTeamFields } from '@floe/contract/api/teams';
import { STORED_CHANNEL_KIND } from '../../alerts/file-channels.ts';
import { channelSecretNames } from '../../alerts/stored-channel.ts';
import { BUDGET_FILE_KIND, LIMIT_FILE_KIND } from '../../guardrails/file-rules.ts';
import { parseStoredBudget, parseStoredLimit } from '../../guardrails/stored-rules.ts';
import { BOARD_FILE_KIND, boardSettings } from '../../monitoring/boards/file-boards.ts';
import { STORED_MONITOR_KIND } from '../../monitoring/file-monitors.ts';
import { POLICY_FILE_KIND, ROUTE_FILE_KIND } from '../../platform/config/file-entries.ts';
import { parseStoredEntry } from '../../platform/config/stored-config.ts';
import { STORED_KEY_KIND } from '../../platform/file-keys.ts';
import { TEAM_FILE_KIND } from '../../platform/file-teams.ts';
import { RELAY_RULE_KIND } from '../../relay/file-relay-rules.ts';
import { parseStoredRelayRule } from '../../relay/stored-relay-rules.ts';
import type { ChannelRow } from '../../store/channels.ts';
import type { PlatformKeyRow } from '../../store/platform-keys.ts';
import { toMonitorConfig } from '../monitors/monitor-definition.ts';
import { PROVIDER_DOCUMENT_KIND } from './document-providers.ts';
import {
  type DocumentResourceKind,
  defineStoredListKind,
  type OrgReadContext,
} from './document-resource-kind.ts';
import { defineRuleKind } from './document-rules.ts';
import { CACHE_DOCUMENT_KIND, ORG_DOCUMENT_KIND, SETTINGS_DOCUMENT_KIND } from './document-settings.ts';
import type { SecretPlaceholders } from './secret-placeholders.ts';

/** All kinds of a document. A kind may only reference kinds before it. */
export const DOCUMENT_RESOURCE_KINDS: readonly DocumentResourceKind[] = [
  ORG_DOCUMENT_KIND,
  defineStoredListKind(TEAM_FILE_KIND, (row) => ({ id: row.id, ...storedTeamFields.parse(row) })),
  // Pruning keeps keys: removing them would lock out their users, possibly including the caller.
  defineStoredListKind(STORED_KEY_KIND, toKeyEntry, {
    verb: 'keys.apply',
    isNeverPruned: true,
    isSortedByName: true,
  }),
  defineStoredListKind(STORED_CHANNEL_KIND, toChannelEntry, { isSortedByName: true }),
  defineStoredListKind(STORED_MONITOR_KIND, (row, _, { nowMs }) => toMonitorConfig(row, nowMs), {
    // A date alone means a pause. The default of `paused` next to it would contradict that.
    toBody: ({ paused, ...monitor }) => ({ ...monitor, ...(paused && { paused }) }),
  }),
  defineStoredListKind(BOARD_FILE_KIND, boardSettings),
  PROVIDER_DOCUMENT_KIND,
  SETTINGS_DOCUMENT_KIND,
  CACHE_DOCUMENT_KIND,
  defineStoredListKind(ROUTE_FILE_KIND, parseStoredEntry, { isOrdered: true }),
  defineStoredListKind(POLICY_FILE_KIND, parseStoredEntry, { isOrdered: true }),
  defineRuleKind(
    LIMIT_FILE_KIND,
    ({ limits }) => limits,
    (row) => parseStoredLimit(row).config,
    true,
  ),
  defineRuleKind(
    BUDGET_FILE_KIND,
    ({ budgets }) => budgets,
    (row) => parseStoredBudget(row).config,
    true,
  ),
  defineRuleKind(RELAY_RULE_KIND, ({ relayRules }) => relayRules, parseStoredRelayRule),
];

const KINDS_BY_NAME: ReadonlyMap<string, DocumentResourceKind> = new Map(
  DOCUMENT_RESOURCE_KINDS.map((kind) => [kind.kind, kind]),
);

/** Returns the kind with this name. */
export function getDocumentResourceKind(name: string): DocumentResourceKind {
  const kind = KINDS_BY_NAME.get(name);
  if (!kind) throw new Error(`a document cannot contain ${name}`);
  return kind;
}

function toKeyEntry(
  row: PlatformKeyRow,
  placeholders: SecretPlaceholders,
  { nowMs }: OrgReadContext,
): object | null {
  const { expires_at } = row;
  if (expires_at !== null && expires_at <= nowMs) return null;
  const { name, ...plain } = storedKeyFields.parse(row);
  return {
    name,
    key: placeholders.create(['key', name], `the platform key "${name}", which ends in ${row.last4}`),
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
): object | null {
  if (row.enabled === 0) return null;
  const { name, kind, settings_json } = row;
  const secrets = channelSecretNames(row, dependencies.providers.secretsKey).map((field) => [
    field,
    placeholders.create(['channel', name, field], `${field} of the channel "${name}"`),
  ]);
  return { ...JSON.parse(settings_json), name, kind, ...Object.fromEntries(secrets) };
}
