import type { EndSessions } from '../../platform/members.ts';

export interface InvitationMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Of the invitation. */
  readonly id: string;
}

/** What the verbs about people need of the process. */
export interface MemberDependencies {
  /** Whoever keeps sessions adds itself here. */
  readonly endSessions: readonly EndSessions[];
  /** Where users reach this installation, without a slash at the end. */
  baseUrl(): string;
  /** One try within 15 seconds; `off` when floe.yaml has no mail server. Never throws. */
  sendMail(mail: InvitationMail): Promise<'off' | 'sent' | 'failed'>;
}
