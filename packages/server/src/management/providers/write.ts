import type { ProviderView } from '@floe/contract/api/providers';
import type { JsonObject } from '@floe/contract/json';
import { newId } from '../../core/ids.ts';
import {
  credentialPlace,
  last4Of,
  originOf,
  sealProviderSecrets,
  splitProvider,
} from '../../platform/config/provider-secrets.ts';
import { openSecret, type SecretsKey, SecretUnreadable, sealSecret } from '../../platform/secrets.ts';
import {
  type CredentialRow,
  changeCredential,
  changeEntry,
  type EntryRow,
  entriesOfOrg,
  insertCredential,
  insertEntry,
  removeCredential,
} from '../../store/config-entries.ts';
import type { Writer } from '../../store/ports.ts';
import { requireStepUp } from '../access.ts';
import { mustNotBeInFile } from '../in-file.ts';
import type { Change, VerbContext } from '../verb.ts';
import { mustNotNameMachine, type ProviderDraft, providerDraft } from './draft.ts';
import { type FoundProvider, findProvider } from './found-provider.ts';
import type { ProviderHost } from './provider-host.ts';
import { providerView } from './view.ts';

export type Writing = VerbContext & { readonly writer: Writer };

export interface WrittenProvider {
  readonly answer: ProviderView;
  readonly audit: Change | 'unchanged';
}

/** Writes a provider in the place of `before`, if there is one: its settings, and the keys that were given. */
export async function putProvider(
  context: Writing,
  host: ProviderHost,
  {
    fields,
    base,
    before,
  }: { fields: Readonly<Record<string, unknown>>; base: JsonObject; before: FoundProvider | null },
): Promise<WrittenProvider> {
  if (before) mustNotBeInFile('provider', before.row.id, before.row);
  const draft = providerDraft(fields, base, before);
  if (!host.mayNameMachine()) mustNotNameMachine(draft.config);
  const org = host.orgs(context.orgId);
  const shownBefore = before && providerView(before, host, org);
  const row = await entryRow(context, draft, before, host.key);
  if (!before) await insertEntry(context.writer, row);
  else if (differs(row, before.row)) await changeEntry(context.writer, before.row, row);
  const touched = await putCredentials(context, draft, before?.credentials ?? [], host.key);
  const after = await findProvider(context.writer, context.orgId, row.id, host.key);
  if (!after) throw new Error('the provider just written is not there');
  const answer = providerView(after, host, org);
  if (before && !touched && !differs(row, before.row)) return { answer, audit: 'unchanged' };
  return {
    answer,
    audit: { subject: row.id, before: shownBefore, after: { ...answer, ...replaced(before, after) } },
  };
}

/** Secrets that were put in the place of others: the views show none, so an entry of the audit log says so. */
function replaced(before: FoundProvider | null, after: FoundProvider) {
  if (!before) return {};
  const versions = new Map(before.credentials.map(({ id, version }) => [id, version]));
  const keys = after.credentials
    .filter(({ id, version }) => (versions.get(id) ?? version) !== version)
    .map(({ name }) => name);
  return {
    ...(keys.length > 0 && { keys_replaced: keys }),
    ...(after.row.secrets_version !== before.row.secrets_version && { secrets: 'replaced' }),
  };
}

function differs(row: EntryRow, before: EntryRow): boolean {
  return row.entry_json !== before.entry_json || row.secrets_sealed !== before.secrets_sealed;
}

async function entryRow(
  { orgId, actor, clock, writer }: Writing,
  { config }: ProviderDraft,
  before: FoundProvider | null,
  key: SecretsKey,
): Promise<EntryRow> {
  const now = clock.now();
  const { entry, secrets } = splitProvider(config);
  const place = { org_id: orgId, row_id: before?.row.row_id ?? newId('cfg', now) };
  const isSame = before !== null && JSON.stringify(before.secrets) === JSON.stringify(secrets);
  const version = (before?.row.secrets_version ?? 0) + (isSame ? 0 : 1);
  const rows = before ? [] : await entriesOfOrg(writer, orgId, 'providers');
  return {
    ...place,
    kind: 'providers',
    id: config.id,
    position: before?.row.position ?? Math.max(-1, ...rows.map(({ position }) => position)) + 1,
    entry_json: JSON.stringify(entry),
    secrets_sealed: isSame ? before.row.secrets_sealed : sealProviderSecrets(secrets, place, version, key),
    secrets_version: version,
    source: 'console',
    source_file: null,
    source_line: null,
    created_at: before?.row.created_at ?? now,
    updated_at: now,
    updated_by: actor.id,
  };
}

/** Brings the stored keys in line with the draft; false when nothing was to be done, also for a key that is stored already. */
async function putCredentials(
  context: Writing,
  { config, keys }: ProviderDraft,
  stored: readonly CredentialRow[],
  key: SecretsKey,
): Promise<boolean> {
  let touched = false;
  for (const row of stored)
    if (!config.credentials.some(({ name }) => name === row.name)) {
      await removeCredential(context.writer, row.id);
      touched = true;
    }
  const origin = originOf(config);
  for (const { name, weight } of config.credentials) {
    const before = stored.find((row) => row.name === name) ?? null;
    const given = keys.get(name);
    if (given !== undefined) requireStepUp(context.actor, context.clock.now());
    const isStored = before !== null && before.origin === origin && storedKey(before, key) === given;
    const wanted = { name, weight, secret: isStored ? undefined : given };
    if (before && wanted.secret === undefined && before.weight === weight) continue;
    await putCredential(context, { id: config.id, origin }, wanted, before, key);
    touched = true;
  }
  return touched;
}

/** A stored key; null for one that cannot be read. */
function storedKey(row: CredentialRow, key: SecretsKey): string | null {
  try {
    return openSecret(row.sealed, credentialPlace(row, row.version), key);
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
}

/** Writes one key, for which members confirm who they are, or only its weight where `secret` is undefined. */
export async function putCredential(
  { orgId, actor, clock, writer }: Writing,
  provider: { readonly id: string; readonly origin: string },
  {
    name,
    weight,
    secret,
  }: { readonly name: string; readonly weight: number; readonly secret: string | undefined },
  before: CredentialRow | null,
  key: SecretsKey,
): Promise<CredentialRow> {
  const now = clock.now();
  if (secret !== undefined) requireStepUp(actor, now);
  const id = before?.id ?? newId('crd', now);
  const version = (before?.version ?? 0) + (secret === undefined ? 0 : 1);
  const shared = { weight, updated_at: now, updated_by: actor.id };
  const sealed =
    secret === undefined
      ? {}
      : {
          origin: provider.origin,
          last4: last4Of(secret) ?? '',
          sealed: sealSecret(secret, credentialPlace({ org_id: orgId, id }, version), key),
          version,
          tested_at: null,
          test_json: null,
        };
  if (before) {
    await changeCredential(writer, id, { ...shared, ...sealed });
    return { ...before, ...shared, ...sealed };
  }
  const row: CredentialRow = {
    id,
    org_id: orgId,
    provider_id: provider.id,
    name,
    origin: provider.origin,
    last4: '',
    sealed: '',
    version,
    tested_at: null,
    test_json: null,
    created_at: now,
    ...shared,
    ...sealed,
  };
  await insertCredential(writer, row);
  return row;
}
