import type { FloeConfig } from '@floe/contract/config';
import { createMailer, mailSettings } from '../alerts/mail.ts';
import { systemClock } from '../core/clock.ts';
import type { PeopleHost } from '../management/members/people-host.ts';
import { deleteSessionsIn } from '../store/sessions.ts';
import type { Parts } from './parts.ts';

const MAIL_MS = 15_000;

/** What the verbs about people stand on. */
export function peopleHost(
  { log, outbound }: Pick<Parts, 'log' | 'outbound'>,
  config: () => FloeConfig,
  baseUrl: () => string,
): PeopleHost {
  const mailer = createMailer(() => mailSettings(config().smtp), outbound.guard);
  return {
    endSessions: [(writer, { userId, orgId }) => deleteSessionsIn(writer, userId, orgId)],
    baseUrl,
    async mail({ to, subject, text, id }) {
      if (config().smtp.url === '') return 'off';
      const deadline = new AbortController();
      const timer = systemClock.after(MAIL_MS, () => deadline.abort());
      try {
        const mail = { to: [to], subject, text, messageId: id, inReplyTo: null };
        await mailer.send(mail, deadline.signal);
        return 'sent';
      } catch (error) {
        log.warn({ err: error, invitation: id }, 'the invitation could not be mailed; its link works');
        return 'failed';
      } finally {
        timer.cancel();
      }
    },
  };
}
