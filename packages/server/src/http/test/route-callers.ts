import type { MemberRole } from '@floe/contract/roles';
import { KEY_SCOPES, type KeyScope } from '@floe/contract/scopes';
import { generatePlatformKey } from '../../platform/key-format.ts';
import { API_TEST_NOW, type RunningApi } from './running-api.ts';

/** The address of the caller with the role member. */
export const ROUTE_MEMBER_EMAIL = 'member@acme.example';

/** The callers in the table of routes, by the key that their requests contain. */
export interface RouteCallers {
  /** Callers that are not authenticated, with the error that they get. */
  readonly rejected: Readonly<Record<string, { readonly key: string | undefined; readonly told: string }>>;
  readonly members: Readonly<Record<MemberRole, string>>;
  readonly memberEmail: string;
  /** An owner and operator without a recent step-up. */
  readonly notSteppedUp: string;
  /** An admin who is an operator of the installation. */
  readonly operator: string;
  /** Keys that have only this scope. */
  readonly keys: Readonly<Record<KeyScope, string>>;
  readonly full: string;
  readonly otherOrgMembers: { readonly owner: string };
  keyWith(scopes: readonly KeyScope[]): Promise<{ readonly key: string }>;
  /** A key of another org with every scope. `fresh` creates a new one for a request that ends it. */
  otherOrgKey(fresh?: true): Promise<string>;
}

export async function createRouteCallers(api: RunningApi): Promise<RouteCallers> {
  const keyWith = memoizeByScopes((scopes: readonly KeyScope[]) => api.addKey('acme', { scopes }));
  const member = async (role: MemberRole) => (await api.addMember('acme', { role })).key;
  const only = async (scope: KeyScope) => (await keyWith([scope])).key;
  const plain = await api.addMember('acme', { role: 'member', email: ROUTE_MEMBER_EMAIL });
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

/** Creates one key per set of scopes, because every key makes all later requests slower. */
function memoizeByScopes<Made>(make: (scopes: readonly KeyScope[]) => Promise<Made>) {
  const made = new Map<string, Promise<Made>>();
  return (scopes: readonly KeyScope[]): Promise<Made> => {
    const name = scopes.join();
    const found = made.get(name) ?? make(scopes);
    made.set(name, found);
    return found;
  };
}
