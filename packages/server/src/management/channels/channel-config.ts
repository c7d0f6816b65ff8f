import type { ChannelConfig } from '@floe/contract/config';
import { ChannelSchema } from '@floe/contract/config/monitoring';
import { Fault } from '@floe/contract/faults';
import { validateInput } from '../validate-input.ts';

/** The request fields that define a channel, without read-only fields. */
export type ChannelInputFields = Readonly<Record<string, unknown>>;

const READ_ONLY_FIELDS = new Set([
  'id',
  'url_origin',
  'failures',
  'backoff_until',
  'source',
  'created_at',
  'updated_at',
  'updated_by',
]);

/**
 * Merges the `fields` of a request over `current` and validates the result. Absent fields keep
 * their values. Null clears a field.
 *
 * @throws Fault `invalid_request` with `param` and the message that floe.yaml would cause. Also
 * thrown if the destination moves to another origin and the request does not repeat its credential.
 */
export function buildChannelConfig(
  fields: ChannelInputFields,
  current: ChannelInputFields | null,
): ChannelConfig {
  const merged: Record<string, unknown> = { ...current };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || READ_ONLY_FIELDS.has(name)) continue;
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  const draft = validateInput(ChannelSchema, merged);
  if (current && channelOrigin(current) !== channelOrigin(draft))
    for (const credential of ['token', 'bot_token', 'routing_key'])
      if (credential in draft && fields[credential] === undefined)
        throw new Fault('invalid_request', `${credential}: must be sent again because the URL has changed`, {
          param: credential,
        });
  return draft;
}

function channelOrigin({ url, base_url }: ChannelInputFields): string | null {
  const address = url ?? base_url;
  return typeof address === 'string' ? new URL(address).origin : null;
}
