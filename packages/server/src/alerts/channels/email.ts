import { formatPlainTextNotice } from '../alert-notice.ts';
import { type ChannelDefinition, selectNoticeSymbol } from './channel-definition.ts';

/**
 * The definition for e-mail, which is sent through `smtp`. The message id contains the idempotency key,
 * so that mail servers can drop duplicates.
 */
export const emailDefinition: ChannelDefinition<'email'> = {
  mail(notice, { to }) {
    return {
      to,
      subject: `${selectNoticeSymbol(notice)} ${notice.wording.title}`,
      text: `${notice.wording.title}\n\n${formatPlainTextNotice(notice, 100_000)}\n`,
      messageId: notice.id,
      inReplyTo: notice.thread === notice.id ? null : notice.thread,
    };
  },
};
