import { plainText } from '../notice.ts';
import { type ChannelSheet, markOf } from './sheet.ts';

/** Mail through `smtp`. The message id is the idempotency key: mail servers drop the second of two alike. */
export const email: ChannelSheet<'email'> = {
  mail(notice, { to }) {
    return {
      to,
      subject: `${markOf(notice)} ${notice.wording.title}`,
      text: `${notice.wording.title}\n\n${plainText(notice, 100_000)}\n`,
      messageId: notice.id,
      inReplyTo: notice.thread === notice.id ? null : notice.thread,
    };
  },
};
