import type { teamFieldsStoredAsIs } from '@floe/contract/api/teams';
import type * as z from 'zod';

/**
 * The users. Each person has one row per installation and can belong to any number of
 * organizations.
 */
export interface UsersTable {
  /** `usr_…` */
  id: string;
  /** The email address with which the person signs in, in lower case. */
  email: string;
  name: string;
  /** Argon2id hash in PHC string form (RFC 9106). Null for a user without a password. */
  password_hash: string | null;
  /** Preferences in the console, as JSON. Null for none. */
  preferences_json: string | null;
  created_at: number;
  updated_at: number;
}

/**
 * The memberships of users in organizations, with their roles. A row is deleted when the member is
 * removed.
 */
export interface MembersTable {
  /** `mem_…`, used in the audit log. */
  id: string;
  org_id: string;
  user_id: string;
  /** One of `ROLES`. */
  role: string;
  /** Id of a team of the organization. Null for none. */
  team: string | null;
  /** `console` if a member assigned the role, `oidc` if a group did, `setup` for the first owner. */
  source: string;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/**
 * The roles that an issuer's groups grant to a member. If the member's `source` is `oidc`, the
 * member has the granted role with the most permissions.
 */
export interface MemberRoleGrantsTable {
  org_id: string;
  user_id: string;
  /** Name in `auth.oidc`. */
  issuer: string;
  role: string;
  team: string | null;
}

/**
 * The users that an organization removed. Floe does not add such a user again based on OpenID Connect groups until the
 * removal is undone.
 */
export interface MemberRemovalsTable {
  org_id: string;
  user_id: string;
  removed_at: number;
  removed_by: string;
}

/** The users who may change installation-wide settings. */
export interface OperatorsTable {
  user_id: string;
  granted_at: number;
  /** Who made the user an operator: a member id, `setup`, `cli` or `upgrade`. */
  granted_by: string;
}

/** The teams. A team is a group of members and keys that spending is assigned to. */
export interface TeamsTable extends z.output<typeof teamFieldsStoredAsIs> {
  org_id: string;
  /** Unique in the organization. */
  id: string;
  /** `file` or `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/** The invitations to become a member. An invitation can be accepted once, by a person who has its token. */
export interface InvitationsTable {
  /** `inv_…` */
  id: string;
  org_id: string;
  /** Lower case. */
  email: string;
  role: string;
  team: string | null;
  /** SHA-256 of the token, hex. The token is not stored. */
  token_sha256: string;
  created_at: number;
  created_by: string;
  expires_at: number;
  accepted_at: number | null;
  /** Id of the member that was created when the invitation was accepted. */
  accepted_by: string | null;
  revoked_at: number | null;
}
