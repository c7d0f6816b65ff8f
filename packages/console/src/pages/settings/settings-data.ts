import type { configChanges, runningConfig } from '@floe/contract/api/config';
import type { passkey } from '@floe/contract/api/passkeys';
import type { ownIdentity, ownSession } from '@floe/contract/api/session';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { get, getTagged, type Page, send } from '../../data/api-client.ts';
import { makePasskey } from '../../data/passkey.ts';
import type { OrgSettings } from './setting-fields.ts';

export type RunningConfig = z.output<typeof runningConfig>;
export type ConfigChanges = z.output<typeof configChanges>;
export type Passkey = z.output<typeof passkey>;
export type OwnSession = z.output<typeof ownSession>;

export const SETTINGS_PATH = 'api/management/settings';

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => getTagged<OrgSettings>(SETTINGS_PATH, signal),
});

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => get<RunningConfig>('api/management/config', undefined, signal),
});

/** What applying a file would change. */
/** The issuers of `auth.oidc`. */
export const identitiesQuery = queryOptions({
  queryKey: ['own-identities'],
  queryFn: ({ signal }) => get<Page<OwnIdentity>>('api/me/identities', undefined, signal),
});

export type OwnIdentity = z.output<typeof ownIdentity>;

/** Leads the browser to the issuer, which leads it back here. */
export async function connectIdentity(name: string): Promise<void> {
  const path = `api/me/identities/${encodeURIComponent(name)}/connect`;
  const { location } = await send<{ readonly location: string }>('POST', path);
  window.location.assign(location);
}

export function diffConfig(yaml: string): Promise<ConfigChanges> {
  return send('POST', 'api/management/config/diff', { yaml });
}

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => get<Page<Passkey>>('api/me/passkeys', undefined, signal),
});

export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: ({ signal }) => get<Page<OwnSession>>('api/me/sessions', undefined, signal),
});

export function changeName(name: string): Promise<unknown> {
  return send('PATCH', 'api/me', { name });
}

export function changePassword(password: string): Promise<unknown> {
  return send('PUT', 'api/me/password', { password });
}

/** Asks the browser for a passkey and gives it to the account. */
export async function addPasskey(name: string): Promise<unknown> {
  const options = await send<unknown>('POST', 'api/me/passkeys/options');
  return send('POST', 'api/me/passkeys', { name, credential: await makePasskey(options) });
}

export function renamePasskey(id: string, name: string): Promise<unknown> {
  return send('PATCH', `api/me/passkeys/${encodeURIComponent(id)}`, { name });
}

export function removePasskey(id: string): Promise<unknown> {
  return send('DELETE', `api/me/passkeys/${encodeURIComponent(id)}`);
}

/** Signs out in one place; null for everywhere but here. */
export function endSession(id: string | null): Promise<unknown> {
  return send('DELETE', id === null ? 'api/me/sessions' : `api/me/sessions/${encodeURIComponent(id)}`);
}
