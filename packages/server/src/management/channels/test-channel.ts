import { channelCreation, channelTest } from '@floe/contract/api/channels';
import { idParams } from '@floe/contract/api/page';
import type { Sender } from '../../alerts/send.ts';
import { type OpenChannel, openChannel } from '../../alerts/stored-channel.ts';
import { testChannel } from '../../alerts/test-channel.ts';
import type { Clock } from '../../core/clock.ts';
import type { SecretsKey } from '../../platform/secrets.ts';
import { alertChannels } from '../resources/channels.ts';
import { existing } from '../resources/resource-verbs.ts';
import { readVerb, type Verb } from '../verb.ts';
import { draftOf } from './channel-draft.ts';

/** What the verbs of channels stand on. */
export interface ChannelParts {
  readonly secretsKey: SecretsKey;
  readonly sender: Sender;
  readonly baseUrl: () => string;
}

/** The answer is a 200 either way: that a receiver refuses is what the test finds out. */
export function testStoredChannel(parts: ChannelParts): Verb {
  const kind = alertChannels(parts.secretsKey);
  return readVerb({
    name: 'channels.test',
    method: 'POST',
    path: '/api/monitoring/channels/{id}/test',
    scope: 'monitoring',
    summary: 'Send a test message to an alert channel now',
    params: idParams,
    answer: channelTest,
    async run(context, { params }) {
      const { orgId, clock } = context;
      const row = await existing(kind, context, params.id);
      return tested(orgId, openChannel(row, parts.secretsKey, clock.now()), parts, clock);
    },
  });
}

export function testDraftChannel(parts: ChannelParts): Verb {
  return readVerb({
    name: 'channels.test_draft',
    method: 'POST',
    path: '/api/monitoring/channels/test',
    scope: 'monitoring',
    summary: 'Send a test message to an alert channel that is not stored',
    body: channelCreation,
    answer: channelTest,
    run: ({ orgId, clock }, { body }) =>
      tested(orgId, { config: draftOf(body, null), signing: { previousSecret: null } }, parts, clock),
  });
}

async function tested(orgId: string, channel: OpenChannel, parts: ChannelParts, clock: Clock) {
  const { ok, status, error, durationMs } = await testChannel(orgId, channel, { ...parts, clock });
  return { ok, status, error, duration_ms: durationMs };
}
