import type { ChannelDefinition, ChannelKind } from './channel-definition.ts';
import {
  discordDefinition,
  microsoftTeamsDefinition,
  ntfyDefinition,
  slackDefinition,
  telegramDefinition,
} from './chat-channel-definitions.ts';
import { emailDefinition } from './email.ts';
import { pagerdutyDefinition } from './pagerduty.ts';
import { webhookDefinition } from './webhook.ts';

/** The channel definitions of all kinds of channels. */
export const CHANNEL_DEFINITIONS: { readonly [Kind in ChannelKind]: ChannelDefinition<Kind> } = {
  webhook: webhookDefinition,
  slack: slackDefinition,
  discord: discordDefinition,
  teams: microsoftTeamsDefinition,
  email: emailDefinition,
  pagerduty: pagerdutyDefinition,
  ntfy: ntfyDefinition,
  telegram: telegramDefinition,
};

/**
 * Returns whether the receivers of a kind of channel manage incidents (`ChannelDefinition.managesIncidents`).
 */
export function managesIncidents({ kind }: { readonly kind: string }): boolean {
  return isChannelKind(kind) && CHANNEL_DEFINITIONS[kind].managesIncidents === true;
}

function isChannelKind(kind: string): kind is ChannelKind {
  return Object.hasOwn(CHANNEL_DEFINITIONS, kind);
}
