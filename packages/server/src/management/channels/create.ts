import { channel, channelCreation } from '@floe/contract/api/channels';
import type { SecretsKey } from '../../platform/secrets.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { draftOf } from './draft.ts';
import { addChannel } from './write.ts';

export function createChannel(secretsKey: SecretsKey): Verb {
  return writeVerb({
    name: 'channels.create',
    method: 'POST',
    path: '/api/monitoring/channels',
    scope: 'monitoring',
    summary: 'Create an alert channel; its secrets are stored encrypted',
    body: channelCreation,
    answer: channel,
    status: 201,
    changes: null,
    run: (context, { body }) =>
      addChannel(context, { config: draftOf(body, null), enabled: body.enabled ?? true }, secretsKey),
  });
}
