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
