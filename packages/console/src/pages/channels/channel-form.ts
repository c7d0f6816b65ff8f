import type { Channel } from '@floe/contract/api/channels';
import { parseNumberField } from '../../format/number-field.ts';
import { parseList } from '../../format/words.ts';

export type ChannelKindId = Channel['kind'];
export type ChannelEvent = NonNullable<Channel['events']>[number];

/** A field of one kind of channel. What is secret is never shown again: empty leaves it as it is. */
export interface ChannelKindField {
  readonly name: 'url' | 'secret' | 'to' | 'routing_key' | 'token' | 'bot_token' | 'chat_id';
  readonly label: string;
  readonly secret: boolean;
  readonly optional?: boolean;
  readonly placeholder?: string;
  readonly hint?: string;
}

const urlField = (label: string, placeholder: string): ChannelKindField => ({
  name: 'url',
  label,
  placeholder,
  secret: true,
});

/** What each kind asks for, and what people call it. */
export const CHANNEL_KIND_FORMS: Readonly<
  Record<ChannelKindId, { readonly label: string; readonly fields: readonly ChannelKindField[] }>
> = {
  webhook: {
    label: 'Webhook',
    fields: [
      urlField('Address', 'https://hooks.example.com/floe'),
      {
        name: 'secret',
        label: 'Signing secret',
        secret: true,
        optional: true,
        hint: 'Standard Webhooks; without it messages are not signed.',
      },
    ],
  },
  slack: { label: 'Slack', fields: [urlField('Incoming webhook', 'https://hooks.slack.com/services/…')] },
  discord: { label: 'Discord', fields: [urlField('Webhook', 'https://discord.com/api/webhooks/…')] },
  teams: { label: 'Microsoft Teams', fields: [urlField('Workflow address', 'https://…')] },
  email: {
    label: 'E-mail',
    fields: [
      {
        name: 'to',
        label: 'Recipients',
        secret: false,
        placeholder: 'ops@acme.example, oncall@acme.example',
        hint: 'With commas between them. Sent through smtp of floe.yaml.',
      },
    ],
  },
  pagerduty: {
    label: 'PagerDuty',
    fields: [{ name: 'routing_key', label: 'Integration key', secret: true }],
  },
  ntfy: {
    label: 'ntfy',
    fields: [
      urlField('Topic', 'https://ntfy.sh/my-topic'),
      { name: 'token', label: 'Access token', secret: true, optional: true },
    ],
  },
  telegram: {
    label: 'Telegram',
    fields: [
      { name: 'bot_token', label: 'Token of the bot', secret: true },
      { name: 'chat_id', label: 'Chat', secret: false, placeholder: '-1001234567890' },
    ],
  },
};

export const ALERT_EVENT_LABELS: readonly { readonly id: ChannelEvent; readonly label: string }[] = [
  { id: 'monitor_failing', label: 'Monitor failing' },
  { id: 'monitor_recovered', label: 'Monitor recovered' },
  { id: 'monitor_never_beaten', label: 'Monitor never beat' },
  { id: 'budget', label: 'Budget' },
  { id: 'breaker', label: 'Breaker' },
  { id: 'credential', label: 'Credential' },
];

export interface ChannelForm {
  readonly name: string;
  readonly kind: ChannelKindId;
  readonly enabled: boolean;
  /** All of them means all there will ever be. */
  readonly events: readonly ChannelEvent[];
  readonly tags: string;
  readonly realert: string;
  readonly values: Readonly<Record<string, string>>;
}

export const EMPTY_CHANNEL: ChannelForm = {
  name: '',
  kind: 'webhook',
  enabled: true,
  events: ALERT_EVENT_LABELS.map(({ id }) => id),
  tags: '',
  realert: '0',
  values: {},
};

export function channelFormOf(channel: Channel): ChannelForm {
  return {
    name: channel.name,
    kind: channel.kind,
    enabled: channel.enabled,
    events: channel.events ?? EMPTY_CHANNEL.events,
    tags: channel.tags.join(', '),
    realert: String(channel.realert_minutes),
    values: { to: (channel.to ?? []).join(', '), chat_id: channel.chat_id ?? '' },
  };
}

/** What the API takes. A secret that was left empty is not sent: it stays what it was. */
export function channelBody(form: ChannelForm): Readonly<Record<string, unknown>> {
  const values = Object.fromEntries(
    CHANNEL_KIND_FORMS[form.kind].fields.flatMap(({ name, secret }) => {
      const text = form.values[name]?.trim() ?? '';
      if (text === '' && secret) return [];
      return [[name, name === 'to' ? parseList(text) : text]];
    }),
  );
  return {
    name: form.name.trim(),
    kind: form.kind,
    enabled: form.enabled,
    events: form.events.length === ALERT_EVENT_LABELS.length ? null : form.events,
    tags: parseList(form.tags),
    realert_minutes: parseNumberField(form.realert) ?? 0,
    ...values,
  };
}

/** The same as a change: the kind of a channel never changes. */
export function channelChangeBody(form: ChannelForm): Readonly<Record<string, unknown>> {
  const { kind: _, ...rest } = channelBody(form);
  return rest;
}

/** A draft as the test takes it: nothing but what makes a channel. */
export function channelDraftBody(form: ChannelForm): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries({ ...channelBody(form), name: form.name.trim() || 'draft' }).filter(
      ([name, value]) => value !== null && name !== 'enabled',
    ),
  );
}
