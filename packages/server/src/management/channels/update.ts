import { channel, channelChange } from '@floe/contract/api/channels';
import { idParams } from '@floe/contract/api/page';
import { openChannel } from '../../alerts/stored-channel.ts';
import type { SecretsKey } from '../../platform/secrets.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { draftOf } from './draft.ts';
import { changeableChannel } from './find.ts';
import { replaceChannel } from './write.ts';

export function updateChannel(secretsKey: SecretsKey): Verb {
  return writeVerb({
    name: 'channels.update',
    method: 'PATCH',
    path: '/api/monitoring/channels/{id}',
    scope: 'monitoring',
    summary: 'Change an alert channel; a webhook signs with its earlier secret too for 24 hours',
    params: idParams,
    body: channelChange,
    answer: channel,
    status: 200,
    changes: null,
    async run(context, { params, body }) {
      const row = await changeableChannel(context.writer, context.orgId, params.id);
      const current = openChannel(row, secretsKey, context.clock.now()).config;
      const wanted = { config: draftOf(body, current), enabled: body.enabled ?? row.enabled === 1 };
      return replaceChannel(context, row, wanted, secretsKey);
    },
  });
}
