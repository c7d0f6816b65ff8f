import type { ChannelKind, ChannelSheet } from './channel-sheet.ts';
import { discordSheet, ntfySheet, slackSheet, teamsSheet, telegramSheet } from './chat-sheets.ts';
import { emailSheet } from './email.ts';
import { pagerdutySheet } from './pagerduty.ts';
import { webhookSheet } from './webhook.ts';

/** The channel sheets of all kinds of channels. */
export const CHANNEL_SHEETS: { readonly [Kind in ChannelKind]: ChannelSheet<Kind> } = {
  webhook: webhookSheet,
  slack: slackSheet,
  discord: discordSheet,
  teams: teamsSheet,
  email: emailSheet,
  pagerduty: pagerdutySheet,
  ntfy: ntfySheet,
  telegram: telegramSheet,
};

export function isChannelKind(kind: string): kind is ChannelKind {
  return Object.hasOwn(CHANNEL_SHEETS, kind);
}
