import type { MemberRole } from '@floe/contract/roles';
import { KEY_SCOPES, type KeyScope } from '@floe/contract/scopes';
import { generatePlatformKey } from '../../platform/key-format.ts';
import { API_TEST_NOW, type RunningApi } from './running-api.ts';

/** Everybody who asks in the table of routes, as the key their requests carry. */
export interface RouteCallers {
  /** Who is not let in, and what they are told. */
  readonly rejected: Readonly<Record<string, { readonly key: string | undefined; readonly told: string }>>;
  readonly members: Readonly<Record<MemberRole, string>>;
  readonly memberEmail: string;
  /** Who did not confirm who they are: an owner, who is an operator too. */
  readonly notSteppedUp: string;
  /** An admin who is an operator of the installation. */
  readonly operator: string;
  /** A key with this scope alone. */
  readonly keys: Readonly<Record<KeyScope, string>>;
  readonly full: string;
  readonly otherOrgMembers: { readonly owner: string };
  keyWith(scopes: readonly KeyScope[]): Promise<{ readonly key: string }>;
  /** A key of another org with every scope; one of its own for a request that ends it. */
  otherOrgKey(fresh?: true): Promise<string>;
}

export async function createRouteCallers(api: RunningApi): Promise<RouteCallers> {
  const keyWith = memoizeByScopes((scopes: readonly KeyScope[]) => api.addKey('acme', { scopes }));
  const member = async (role: MemberRole) => (await api.addMember('acme', { role })).key;
  const only = async (scope: KeyScope) => (await keyWith([scope])).key;
  const plain = await api.addMember('acme', { role: 'member' });
  const strangersKey = (await api.addKey('other')).key;
  const expired = (await api.addKey('acme', { expires_at: API_TEST_NOW })).key;
  const revoked = (await api.addKey('acme', { revoked_at: API_TEST_NOW - 1 })).key;
  return {
    rejected: {
      'without a key': { key: undefined, told: '401 missing_api_key' },
      'with an unknown key': { key: generatePlatformKey(), told: '401 invalid_api_key' },
      'with an expired key': { key: expired, told: '401 key_expired' },
      'with a revoked key': { key: revoked, told: '401 key_revoked' },
    },
    members: {
      owner: await member('owner'),
      admin: await member('admin'),
      member: plain.key,
      viewer: await member('viewer'),
    },
    memberEmail: plain.email,
    notSteppedUp: (await api.addMember('acme', { role: 'owner', steppedUp: false, operator: true })).key,
    operator: (await api.addMember('acme', { role: 'admin', operator: true })).key,
    keys: {
      gateway: await only('gateway'),
      monitoring: await only('monitoring'),
      beat: await only('beat'),
      relay: await only('relay'),
      management: await only('management'),
      read: await only('read'),
    },
    full: (await keyWith(KEY_SCOPES)).key,
    otherOrgMembers: { owner: (await api.addMember('other', { role: 'owner' })).key },
    keyWith,
    otherOrgKey: async (fresh) => (fresh ? (await api.addKey('other')).key : strangersKey),
  };
}

/** One key for each set of scopes: every key makes every request that follows a little dearer. */
function memoizeByScopes<Made>(make: (scopes: readonly KeyScope[]) => Promise<Made>) {
  const made = new Map<string, Promise<Made>>();
  return (scopes: readonly KeyScope[]): Promise<Made> => {
    const name = scopes.join();
    const found = made.get(name) ?? make(scopes);
    made.set(name, found);
    return found;
  };
}
