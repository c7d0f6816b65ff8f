import type { configChangeList, runningConfig } from '@floe/contract/api/config';
import type { passkeyResource } from '@floe/contract/api/passkeys';
import type { ownIdentity, ownSession } from '@floe/contract/api/session';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { type ApiPage, getJson, getWithETag, sendJson } from '../../data/api-client.ts';
import { createPasskey } from '../../data/passkey.ts';
import type { OrgSettingsResource } from './setting-fields.ts';

export type RunningConfig = z.output<typeof runningConfig>;
export type ConfigChanges = z.output<typeof configChangeList>;
export type Passkey = z.output<typeof passkeyResource>;
export type OwnSession = z.output<typeof ownSession>;

export const SETTINGS_PATH = 'api/management/settings';

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => getWithETag<OrgSettingsResource>(SETTINGS_PATH, signal),
});

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => getJson<RunningConfig>('api/management/config', undefined, signal),
});

/**
 * The query for the identity providers in `auth.oidc` and whether the user’s account is connected to them.
 */
export const ownIdentitiesQuery = queryOptions({
  queryKey: ['own-identities'],
  queryFn: ({ signal }) => getJson<ApiPage<OwnIdentity>>('api/me/identities', undefined, signal),
});

export type OwnIdentity = z.output<typeof ownIdentity>;

/** Redirects the browser to the identity provider, which redirects back to the console. */
export async function connectIdentity(name: string): Promise<void> {
  const path = `api/me/identities/${encodeURIComponent(name)}/connect`;
  const { location } = await sendJson<{ readonly location: string }>('POST', path);
  window.location.assign(location);
}

/** Returns the changes that applying a file would make. */
export function diffConfig(yaml: string): Promise<ConfigChanges> {
  return sendJson('POST', 'api/management/config/diff', { yaml });
}

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => getJson<ApiPage<Passkey>>('api/me/passkeys', undefined, signal),
});

export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: ({ signal }) => getJson<ApiPage<OwnSession>>('api/me/sessions', undefined, signal),
});

export function changeOwnName(name: string): Promise<unknown> {
  return sendJson('PATCH', 'api/me', { name });
}

export function changeOwnPassword(password: string): Promise<unknown> {
  return sendJson('PUT', 'api/me/password', { password });
}

/** Creates a passkey in the browser and adds it to the account. */
export async function addPasskey(name: string): Promise<unknown> {
  const options = await sendJson<unknown>('POST', 'api/me/passkeys/options');
  return sendJson('POST', 'api/me/passkeys', { name, credential: await createPasskey(options) });
}

export function renamePasskey(id: string, name: string): Promise<unknown> {
  return sendJson('PATCH', `api/me/passkeys/${encodeURIComponent(id)}`, { name });
}

export function removePasskey(id: string): Promise<unknown> {
  return sendJson('DELETE', `api/me/passkeys/${encodeURIComponent(id)}`);
}

/** Signs out a session. Null signs out all other sessions. */
export function endOwnSession(id: string | null): Promise<unknown> {
  return sendJson('DELETE', id === null ? 'api/me/sessions' : `api/me/sessions/${encodeURIComponent(id)}`);
}
