import type { SignOutUserInOrg } from '../../platform/members.ts';

/** An email with an invitation link. */
export interface InvitationEmail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Id of the invitation. */
  readonly id: string;
}

/** The dependencies of the member operations. */
export interface MemberDependencies {
  /** Callbacks that end the sessions of a member. Each session store adds its own. */
  readonly endSessions: readonly SignOutUserInOrg[];
  /** Public base URL of this installation, without a trailing slash. */
  baseUrl(): string;
  /** Tries once, for at most 15 seconds. Resolves to `off` if floe.yaml has no mail server. Never rejects. */
  sendMail(mail: InvitationEmail): Promise<'off' | 'sent' | 'failed'>;
}
