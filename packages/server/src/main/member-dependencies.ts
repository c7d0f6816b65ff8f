import type { FloeConfig } from '@floe/contract/config';
import { createMailer, toSmtpSettings } from '../alerts/mailer.ts';
import { systemClock } from '../core/clock.ts';
import type { MemberDependencies } from '../management/members/member-dependencies.ts';
import { deleteConsoleSessionsOfUserInOrg } from '../store/console-sessions.ts';
import type { ServerComponents } from './server-components.ts';

const MAIL_TIMEOUT_MS = 15_000;

/** Creates the dependencies of the member operations. */
export function createMemberDependencies(
  { log, outbound }: Pick<ServerComponents, 'log' | 'outbound'>,
  config: () => FloeConfig,
  baseUrl: () => string,
): MemberDependencies {
  const mailer = createMailer(() => toSmtpSettings(config().smtp), outbound.guard, outbound.via);
  return {
    endSessions: [(writer, { userId, orgId }) => deleteConsoleSessionsOfUserInOrg(writer, userId, orgId)],
    baseUrl,
    async sendMail({ to, subject, text, id }) {
      if (config().smtp.url === '') return 'off';
      const deadline = new AbortController();
      const timer = systemClock.after(MAIL_TIMEOUT_MS, () => deadline.abort());
      try {
        const mail = { to: [to], subject, text, messageId: id, inReplyTo: null };
        await mailer.send(mail, deadline.signal);
        return 'sent';
      } catch (error) {
        log.warn(
          { err: error, invitation: id },
          'invitation email could not be sent; the invitation link is still valid',
        );
        return 'failed';
      } finally {
        timer.cancel();
      }
    },
  };
}
