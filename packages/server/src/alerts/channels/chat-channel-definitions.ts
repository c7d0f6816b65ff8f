import { formatPlainTextMessage } from '../alert-message.ts';
import { truncateTextToBytes } from '../alert-wording.ts';
import {
  type ChannelDefinition,
  explainHtmlResponse,
  isJsonRecord,
  JSON_HEADERS,
  parseReceiverJson,
  selectMessageColor,
  selectMessageSymbol,
} from './channel-definition.ts';

/**
 * The definition for incoming webhooks of Slack and compatible services. Slack requires escaping only &,
 * < and >.
 */
export const slackDefinition: ChannelDefinition<'slack'> = {
  http: {
    message(notice, { url }) {
      const quoted = (text: string) =>
        text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      const title = quoted(notice.wording.title);
      return {
        url,
        headers: JSON_HEADERS,
        body: JSON.stringify({
          text: `${selectMessageSymbol(notice)} ${title}`,
          attachments: [
            {
              color: `#${selectMessageColor(notice).toString(16).padStart(6, '0')}`,
              fallback: title,
              text: formatPlainTextMessage(notice, 3_000, { quoted }),
            },
          ],
        }),
      };
    },
    refusal: explainHtmlResponse,
  },
};

/** The definition for Discord webhooks. A mention such as `@everyone` in a resource name notifies no one. */
export const discordDefinition: ChannelDefinition<'discord'> = {
  http: {
    message(notice, { url }) {
      const quoted = (text: string) => text.replaceAll(/[\\*_~`|>#[\]()-]/g, '\\$&');
      return {
        url,
        headers: JSON_HEADERS,
        body: JSON.stringify({
          allowed_mentions: { parse: [] },
          content: `${selectMessageSymbol(notice)} ${quoted(notice.wording.title)}`.slice(0, 2_000),
          embeds: [
            {
              color: selectMessageColor(notice),
              url: notice.link,
              description: formatPlainTextMessage(notice, 4_000, { quoted }),
            },
          ],
        }),
      };
    },
    refusal: explainHtmlResponse,
    retryAfterMs(answer) {
      const seconds = parseReceiverJson(answer)?.['retry_after'];
      return typeof seconds === 'number' ? seconds * 1000 : undefined;
    },
  },
};

/**
 * The definition for Microsoft Teams, which requires a workflow that starts "when a webhook request is
 * received". Sends one adaptive card.
 */
export const microsoftTeamsDefinition: ChannelDefinition<'teams'> = {
  http: {
    message(notice, { url }) {
      const { title, facts } = notice.wording;
      const content = {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          {
            type: 'TextBlock',
            text: `${selectMessageSymbol(notice)} ${title}`,
            weight: 'Bolder',
            size: 'Medium',
            wrap: true,
          },
          { type: 'FactSet', facts: facts.map(([label, value]) => ({ title: label, value })) },
        ],
        actions: [{ type: 'Action.OpenUrl', title: 'Open', url: notice.link }],
      };
      const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', content }];
      return { url, headers: JSON_HEADERS, body: JSON.stringify({ type: 'message', attachments }) };
    },
    // The older connectors return 200 and report the failure in the body.
    refusal: (answer) =>
      explainHtmlResponse(answer) ?? (/failed|error/i.test(answer.text) ? answer.text.slice(0, 200) : null),
  },
};

/** ntfy shows at most 4,096 bytes. It rejects a longer message, or sends it as an attachment. */
const MAX_NTFY_BYTES = 4_000;

/**
 * The definition for ntfy. The body contains the text, and headers contain everything else. Headers with
 * non-ASCII text use encoded words (RFC 2047).
 */
export const ntfyDefinition: ChannelDefinition<'ntfy'> = {
  http: {
    message(notice, { url, token }) {
      return {
        url,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          title: encodedWord(notice.wording.title),
          click: notice.link,
          priority: notice.phase === 'opens' ? 'high' : 'default',
          tags: notice.phase === 'opens' ? 'red_circle' : notice.phase === 'closes' ? 'green_circle' : 'bell',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: formatPlainTextMessage(notice, MAX_NTFY_BYTES, { truncate: truncateTextToBytes }),
      };
    },
    refusal: (answer) =>
      parseReceiverJson(answer)?.['id'] === undefined ? 'the response is not from ntfy; check the URL' : null,
  },
};

function encodedWord(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}

/**
 * The definition for Telegram, which uses the Bot API's `sendMessage`. Messages are plain text, so
 * that Telegram does not interpret markup in names.
 */
export const telegramDefinition: ChannelDefinition<'telegram'> = {
  http: {
    message(notice, { base_url, bot_token, chat_id }) {
      const text = `${selectMessageSymbol(notice)} ${notice.wording.title}\n${formatPlainTextMessage(notice, 3_500)}`;
      const body = { chat_id, text, link_preview_options: { is_disabled: true } };
      return {
        url: `${base_url}/bot${bot_token}/sendMessage`,
        headers: JSON_HEADERS,
        body: JSON.stringify(body),
      };
    },
    refusal: (answer) =>
      parseReceiverJson(answer)?.['ok'] === true ? null : 'the response is not from Telegram; check base_url',
    retryAfterMs(answer) {
      const parameters = parseReceiverJson(answer)?.['parameters'];
      const seconds = isJsonRecord(parameters) ? parameters['retry_after'] : undefined;
      return typeof seconds === 'number' ? seconds * 1000 : undefined;
    },
  },
};
