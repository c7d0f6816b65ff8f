import { formatPlainTextMessage } from '../alert-message.ts';
import { type ChannelDefinition, selectMessageSymbol } from './channel-definition.ts';

/**
 * The definition for email, which is sent through `smtp`. The message id contains the idempotency key,
 * so that mail servers can drop duplicates.
 */
export const emailDefinition: ChannelDefinition<'email'> = {
  mail(notice, { to }) {
    return {
      to,
      subject: `${selectMessageSymbol(notice)} ${notice.wording.title}`,
      text: `${notice.wording.title}\n\n${formatPlainTextMessage(notice, 100_000)}\n`,
      messageId: notice.id,
      inReplyTo: notice.thread === notice.id ? null : notice.thread,
    };
  },
};
