import type { storedTeamFields } from '@floe/contract/api/teams';
import type * as z from 'zod';

/** A person, once in an installation, whatever orgs they belong to. */
export interface UsersTable {
  /** `usr_…` */
  id: string;
  /** Lower case; what they sign in with. */
  email: string;
  name: string;
  /** Argon2id in PHC string form (RFC 9106); null for those who sign in otherwise. */
  password_hash: string | null;
  /** What the console remembers for them; null for nothing. */
  preferences_json: string | null;
  created_at: number;
  updated_at: number;
}

/** That a person belongs to an org, and what they may do there. Removing a member removes the row. */
export interface MembersTable {
  /** `mem_…`, what the audit log calls them. */
  id: string;
  org_id: string;
  user_id: string;
  /** One of `ROLES`. */
  role: string;
  /** Id of a team of the org, or null. */
  team: string | null;
  /** `console` when somebody gave the role, `oidc` when a group did, `setup` for the first owner. */
  source: string;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/** What the groups of one issuer grant a member; the member's role is the strongest of them (`source` is `oidc`). */
export interface MemberGrantsTable {
  org_id: string;
  user_id: string;
  /** Name in `auth.oidc`. */
  issuer: string;
  role: string;
  team: string | null;
}

/** A person whom a member removed from an org: groups do not add them again until the removal is undone. */
export interface RemovedMembersTable {
  org_id: string;
  user_id: string;
  removed_at: number;
  removed_by: string;
}

/** A person who may change what affects every org of the installation. */
export interface OperatorsTable {
  user_id: string;
  granted_at: number;
  /** A member id, `setup`, `cli` or `upgrade`. */
  granted_by: string;
}

/** A group of people and keys that spending is booked on. */
export interface TeamsTable extends z.output<typeof storedTeamFields> {
  org_id: string;
  /** Unique in the org. */
  id: string;
  /** `file` when it stands in floe.yaml, else `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/** That a person may become a member, once, with the token whose hash stands here. */
export interface InvitationsTable {
  /** `inv_…` */
  id: string;
  org_id: string;
  /** Lower case. */
  email: string;
  role: string;
  team: string | null;
  /** SHA-256 of the token, hex. The token itself is never stored. */
  token_sha256: string;
  created_at: number;
  created_by: string;
  expires_at: number;
  accepted_at: number | null;
  /** The member that it made. */
  accepted_by: string | null;
  revoked_at: number | null;
}
