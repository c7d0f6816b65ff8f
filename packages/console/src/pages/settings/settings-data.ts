import type { configChangeList, runningConfigStatus } from '@floe/contract/api/config';
import type { passkeyResource } from '@floe/contract/api/passkeys';
import type { ownIdentityLink, ownSession } from '@floe/contract/api/session';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { type ApiPage, getJson, getJsonWithETag, sendJson } from '../../data/api-client.ts';
import { deleteResource } from '../../data/delete-resource.ts';
import { createPasskey } from '../../data/passkey.ts';
import type { OrgSettingsResource } from './setting-fields.ts';

/** The state of the running configuration. */
export type RunningConfigStatus = z.output<typeof runningConfigStatus>;
/** What would change if a floe.yaml file were applied. */
export type ConfigChanges = z.output<typeof configChangeList>;
/** A passkey of the signed-in user. */
export type Passkey = z.output<typeof passkeyResource>;
/** A session of the signed-in user. */
export type OwnSession = z.output<typeof ownSession>;

/** The API path of the organization’s settings. */
export const SETTINGS_API_PATH = 'api/management/settings';

/** The query for the settings of the organization, with the ETag for their next change. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => getJsonWithETag<OrgSettingsResource>(SETTINGS_API_PATH, signal),
});

/** The query for the state of the running configuration. */
export const runningConfigStatusQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => getJson<RunningConfigStatus>('api/management/config', undefined, signal),
});

/**
 * The query for the identity providers that are configured in `auth.oidc`, and whether the user’s account is
 * connected to each.
 */
export const identityProviderConnectionsQuery = queryOptions({
  queryKey: ['own-identities'],
  queryFn: ({ signal }) =>
    getJson<ApiPage<IdentityProviderConnection>>('api/me/identities', undefined, signal),
});

/** An identity provider, and whether the user’s account is connected to it. */
export type IdentityProviderConnection = z.output<typeof ownIdentityLink>;

/**
 * Starts connecting the account to an identity provider. The browser is redirected to the identity provider
 * and then back to the console.
 */
export async function connectIdentityProvider(name: string): Promise<void> {
  const path = `api/me/identities/${encodeURIComponent(name)}/connect`;
  const { location } = await sendJson<{ readonly location: string }>('POST', path);
  window.location.assign(location);
}

/** Returns what would change if a floe.yaml file were applied. */
export function diffConfig(yaml: string): Promise<ConfigChanges> {
  return sendJson('POST', 'api/management/config/diff', { yaml });
}

/** The query for the passkeys of the signed-in user. */
export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => getJson<ApiPage<Passkey>>('api/me/passkeys', undefined, signal),
});

/** The query for the sessions of the signed-in user. */
export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: ({ signal }) => getJson<ApiPage<OwnSession>>('api/me/sessions', undefined, signal),
});

/** Changes the name of the signed-in user. */
export function changeOwnName(name: string): Promise<unknown> {
  return sendJson('PATCH', 'api/me', { name });
}

/** Changes the password of the signed-in user and signs out their other sessions. */
export function changeOwnPassword(password: string): Promise<unknown> {
  return sendJson('PUT', 'api/me/password', { password });
}

/** Creates a passkey in the browser and adds it to the account. */
export async function addPasskey(name: string): Promise<unknown> {
  const options = await sendJson<unknown>('POST', 'api/me/passkeys/options');
  return sendJson('POST', 'api/me/passkeys', { name, credential: await createPasskey(options) });
}

/** Changes the name of a passkey. */
export function renamePasskey(id: string, name: string): Promise<unknown> {
  return sendJson('PATCH', `api/me/passkeys/${encodeURIComponent(id)}`, { name });
}

/** Removes a passkey from the account. */
export function removePasskey(id: string): Promise<void> {
  return deleteResource(`api/me/passkeys/${encodeURIComponent(id)}`);
}

/** Signs out one of the user's sessions. */
export function endOwnSession(id: string): Promise<void> {
  return deleteResource(`api/me/sessions/${encodeURIComponent(id)}`);
}

/** Signs out all of the user's sessions except the current one. */
export function endOtherSessions(): Promise<unknown> {
  return sendJson('DELETE', 'api/me/sessions');
}
