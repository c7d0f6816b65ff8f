import type { ChannelKind, ChannelSheet } from './channel-sheet.ts';
import { discord, ntfy, slack, teams, telegram } from './chat-sheets.ts';
import { email } from './email.ts';
import { pagerduty } from './pagerduty.ts';
import { webhook } from './webhook.ts';

/** Every kind of channel. */
export const CHANNEL_SHEETS: { readonly [Kind in ChannelKind]: ChannelSheet<Kind> } = {
  webhook,
  slack,
  discord,
  teams,
  email,
  pagerduty,
  ntfy,
  telegram,
};

export function isChannelKind(kind: string): kind is ChannelKind {
  return Object.hasOwn(CHANNEL_SHEETS, kind);
}
