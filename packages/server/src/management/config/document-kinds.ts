import { keyStored } from '@floe/contract/api/keys';
import { teamStored } from '@floe/contract/api/teams';
import { CHANNELS } from '../../alerts/file-channels.ts';
import { secretNames } from '../../alerts/stored-channel.ts';
import { BUDGETS, LIMITS } from '../../guardrails/file-rules.ts';
import { storedBudget, storedLimit } from '../../guardrails/stored-rules.ts';
import { boardSettings, FILE_BOARDS } from '../../monitoring/boards/file-boards.ts';
import { MONITORS } from '../../monitoring/file-monitors.ts';
import { FILE_POLICIES, FILE_ROUTES } from '../../platform/config/file-entries.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { KEYS } from '../../platform/file-keys.ts';
import { FILE_TEAMS } from '../../platform/file-teams.ts';
import { RELAY_RULES } from '../../relay/file-rules.ts';
import { storedRelayRule } from '../../relay/stored-rules.ts';
import type { ChannelRow } from '../../store/channels.ts';
import type { PlatformKeyRow } from '../../store/platform-keys.ts';
import { monitorConfig } from '../monitors/monitor-draft.ts';
import { type DocumentKind, type OrgReading, stored } from './document-kind.ts';
import { PROVIDERS } from './document-providers.ts';
import { rules } from './document-rules.ts';
import { CACHE, ORG, SETTINGS } from './document-settings.ts';
import type { Placeholders } from './placeholders.ts';

/** Everything that a document may say, in the order in which later kinds may name earlier ones. */
export const KINDS: readonly DocumentKind[] = [
  ORG,
  stored(FILE_TEAMS, (row) => ({ id: row.id, ...teamStored.parse(row) })),
  // Prune keeps them: whoever uses one would be shut out, the one who asks among them.
  stored(KEYS, keyEntry, { verb: 'keys.apply', isKept: true, isSorted: true }),
  stored(CHANNELS, channelEntry, { isSorted: true }),
  stored(MONITORS, (row, _, { nowMs }) => monitorConfig(row, nowMs), {
    // A date alone means a pause: its default beside it would deny that.
    body: ({ paused, ...monitor }) => ({ ...monitor, ...(paused && { paused }) }),
  }),
  stored(FILE_BOARDS, boardSettings),
  PROVIDERS,
  SETTINGS,
  CACHE,
  stored(FILE_ROUTES, parsed, { isOrdered: true }),
  stored(FILE_POLICIES, parsed, { isOrdered: true }),
  rules(
    LIMITS,
    ({ limits }) => limits,
    (row) => storedLimit(row).config,
    true,
  ),
  rules(
    BUDGETS,
    ({ budgets }) => budgets,
    (row) => storedBudget(row).config,
    true,
  ),
  rules(RELAY_RULES, ({ relay_rules }) => relay_rules, storedRelayRule),
];

const BY_NAME: ReadonlyMap<string, DocumentKind> = new Map(KINDS.map((kind) => [kind.kind, kind]));

export function kindNamed(name: string): DocumentKind {
  const kind = BY_NAME.get(name);
  if (!kind) throw new Error(`a document has no ${name}`);
  return kind;
}

function keyEntry(row: PlatformKeyRow, placeholders: Placeholders, { nowMs }: OrgReading): object | null {
  const { expires_at } = row;
  if (expires_at !== null && expires_at <= nowMs) return null;
  const { name, ...plain } = keyStored.parse(row);
  return {
    name,
    key: placeholders.for(['key', name], `the platform key "${name}", which ends in ${row.last4}`),
    scopes: JSON.parse(row.scopes_json),
    ...plain,
    models: row.models_json === null ? null : JSON.parse(row.models_json),
    paths: row.paths_json ? JSON.parse(row.paths_json) : null,
    expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
  };
}

function channelEntry(row: ChannelRow, placeholders: Placeholders, { host }: OrgReading): object | null {
  if (row.enabled === 0) return null;
  const { name, kind, settings_json } = row;
  const secrets = secretNames(row, host.providers.key).map((field) => [
    field,
    placeholders.for(['channel', name, field], `${field} of the channel "${name}"`),
  ]);
  return { ...JSON.parse(settings_json), name, kind, ...Object.fromEntries(secrets) };
}
