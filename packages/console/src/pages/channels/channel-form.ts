import type { Channel } from '@floe/contract/api/channels';
import { parseListInput } from '../../format/list-input.ts';
import { parseNumberField } from '../../format/number-field.ts';
import { channelsText } from './text.ts';

/** A kind of channel, such as `slack`. */
export type ChannelKindId = Channel['kind'];
/** An event about which a channel can send alerts. */
export type ChannelAlertEvent = NonNullable<Channel['events']>[number];

/**
 * A form field that only one kind of channel has. If the field is a secret, the form never shows the stored
 * value, and an empty field leaves the stored value unchanged.
 */
export interface ChannelKindField {
  readonly name: 'url' | 'secret' | 'to' | 'routing_key' | 'token' | 'bot_token' | 'chat_id';
  readonly label: string;
  readonly secret: boolean;
  readonly optional?: boolean;
  readonly placeholder?: string;
  readonly hint?: string;
}

const { kindFields } = channelsText;

const urlField = (label: string, placeholder: string): ChannelKindField => ({
  name: 'url',
  label,
  placeholder,
  secret: true,
});

/** The label and the fields of each channel kind. */
export const CHANNEL_KIND_FORMS: Readonly<
  Record<ChannelKindId, { readonly label: string; readonly fields: readonly ChannelKindField[] }>
> = {
  webhook: {
    label: channelsText.kinds.webhook,
    fields: [
      urlField(kindFields.url, kindFields.urlPlaceholder),
      {
        name: 'secret',
        label: kindFields.secret,
        secret: true,
        optional: true,
        hint: kindFields.secretHint,
      },
    ],
  },
  slack: {
    label: channelsText.kinds.slack,
    fields: [urlField(kindFields.incomingWebhookUrl, kindFields.slackPlaceholder)],
  },
  discord: {
    label: channelsText.kinds.discord,
    fields: [urlField(kindFields.webhookUrl, kindFields.discordPlaceholder)],
  },
  teams: {
    label: channelsText.kinds.teams,
    fields: [urlField(kindFields.workflowUrl, kindFields.workflowPlaceholder)],
  },
  email: {
    label: channelsText.kinds.email,
    fields: [
      {
        name: 'to',
        label: kindFields.recipients,
        secret: false,
        placeholder: kindFields.recipientsPlaceholder,
        hint: kindFields.recipientsHint,
      },
    ],
  },
  pagerduty: {
    label: channelsText.kinds.pagerduty,
    fields: [{ name: 'routing_key', label: kindFields.integrationKey, secret: true }],
  },
  ntfy: {
    label: channelsText.kinds.ntfy,
    fields: [
      urlField(kindFields.topicUrl, kindFields.topicPlaceholder),
      { name: 'token', label: kindFields.accessToken, secret: true, optional: true },
    ],
  },
  telegram: {
    label: channelsText.kinds.telegram,
    fields: [
      { name: 'bot_token', label: kindFields.botToken, secret: true },
      { name: 'chat_id', label: kindFields.chatId, secret: false, placeholder: kindFields.chatIdPlaceholder },
    ],
  },
};

/**
 * Returns the placeholder and the help text of a stored secret. The API does not return whether an optional secret
 * is set.
 * @param origin The origin of the stored URL. The rest of the URL is secret.
 */
export function describeStoredSecret(
  { name, optional = false }: Pick<ChannelKindField, 'name' | 'optional'>,
  origin: string | null,
): { readonly placeholder: string; readonly hint: string } {
  const { fields } = channelsText;
  if (optional) return { placeholder: fields.optionalPlaceholder, hint: fields.optionalHint };
  const placeholder =
    name === 'url' && origin ? fields.storedUrlPlaceholder(origin) : fields.storedPlaceholder;
  return { placeholder, hint: fields.storedHint };
}

/** The events about which a channel can send alerts, with their labels. */
export const ALERT_EVENT_LABELS: readonly { readonly id: ChannelAlertEvent; readonly label: string }[] = [
  { id: 'monitor_failing', label: channelsText.events.monitor_failing },
  { id: 'monitor_recovered', label: channelsText.events.monitor_recovered },
  { id: 'monitor_never_beaten', label: channelsText.events.monitor_never_beaten },
  { id: 'budget', label: channelsText.events.budget },
  { id: 'breaker', label: channelsText.events.breaker },
  { id: 'credential', label: channelsText.events.credential },
];

/** The form values of a channel. */
export interface ChannelFormValues {
  readonly name: string;
  readonly kind: ChannelKindId;
  readonly enabled: boolean;
  /** The selected events. If all are selected, the channel also receives events that later versions add. */
  readonly events: readonly ChannelAlertEvent[];
  readonly tags: string;
  readonly realert: string;
  readonly values: Readonly<Record<string, string>>;
  /** Names of the optional secrets whose stored values are removed. */
  readonly removedSecrets: readonly string[];
}

/** The initial form values of a new channel. */
export const NEW_CHANNEL_FORM: ChannelFormValues = {
  name: '',
  kind: 'webhook',
  enabled: true,
  events: ALERT_EVENT_LABELS.map(({ id }) => id),
  tags: '',
  realert: '0',
  values: {},
  removedSecrets: [],
};

/** Converts a channel to form values. Stored secrets become empty fields. */
export function toChannelFormValues(channel: Channel): ChannelFormValues {
  return {
    name: channel.name,
    kind: channel.kind,
    enabled: channel.enabled,
    events: channel.events ?? NEW_CHANNEL_FORM.events,
    tags: channel.tags.join(', '),
    realert: String(channel.realert_minutes),
    values: { to: (channel.to ?? []).join(', '), chat_id: channel.chat_id ?? '' },
    removedSecrets: [],
  };
}

/**
 * Converts the form to the request body. Omits empty secret fields, so that the stored values do not change.
 * @param before the channel before the change
 */
export function toChannelBody(
  form: ChannelFormValues,
  before?: Pick<Channel, 'tags'>,
): Readonly<Record<string, unknown>> {
  const values = Object.fromEntries(
    CHANNEL_KIND_FORMS[form.kind].fields.flatMap(({ name, secret }): [string, string | string[] | null][] => {
      if (form.removedSecrets.includes(name)) return [[name, null]];
      const value = form.values[name]?.trim() ?? '';
      if (value === '' && secret) return [];
      return [[name, name === 'to' ? parseListInput(value) : value]];
    }),
  );
  return {
    name: form.name.trim(),
    kind: form.kind,
    enabled: form.enabled,
    events: form.events.length === ALERT_EVENT_LABELS.length ? null : form.events,
    tags: parseListInput(form.tags, before?.tags),
    realert_minutes: parseNumberField(form.realert) ?? 0,
    ...values,
  };
}

/** Converts the form to the body of an update. Omits the kind of the channel, because it cannot change. */
export function toChannelUpdateBody(
  form: ChannelFormValues,
  before?: Pick<Channel, 'tags'>,
): Readonly<Record<string, unknown>> {
  const { kind: _, ...rest } = toChannelBody(form, before);
  return rest;
}

/** Converts the form to the body of a test request. */
export function toChannelTestBody(form: ChannelFormValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries({ ...toChannelBody(form), name: form.name.trim() || 'draft' }).filter(
      ([name, value]) => value !== null && name !== 'enabled',
    ),
  );
}
