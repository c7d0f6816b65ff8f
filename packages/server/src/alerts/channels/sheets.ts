import { discord, ntfy, slack, teams, telegram } from './chat.ts';
import { email } from './email.ts';
import { pagerduty } from './pagerduty.ts';
import type { ChannelKind, ChannelSheet } from './sheet.ts';
import { webhook } from './webhook.ts';

/** Every kind of channel. */
export const SHEETS: { readonly [Kind in ChannelKind]: ChannelSheet<Kind> } = {
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
  return Object.hasOwn(SHEETS, kind);
}
