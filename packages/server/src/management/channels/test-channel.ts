import { channelCreation, channelTestResult } from '@floe/contract/api/channels';
import { idParams } from '@floe/contract/api/page';
import type { AlertSender } from '../../alerts/alert-sender.ts';
import { sendTestNotice } from '../../alerts/send-test-notice.ts';
import { type OpenChannel, openChannel } from '../../alerts/stored-channel.ts';
import type { Clock } from '../../core/clock.ts';
import type { SecretsKey } from '../../platform/secrets.ts';
import { createChannelKind } from '../resources/channels.ts';
import { requireResource } from '../resources/resource-verbs.ts';
import { defineReadVerb, type Verb } from '../verb.ts';
import { buildChannelConfig } from './channel-config.ts';

/** What the verbs of channels stand on. */
export interface ChannelDependencies {
  readonly secretsKey: SecretsKey;
  readonly sender: AlertSender;
  readonly baseUrl: () => string;
}

/** The answer is a 200 either way: that a receiver refuses is what the test finds out. */
export function testStoredChannelVerb(dependencies: ChannelDependencies): Verb {
  const kind = createChannelKind(dependencies.secretsKey);
  return defineReadVerb({
    name: 'channels.test',
    method: 'POST',
    path: '/api/monitoring/channels/{id}/test',
    scope: 'monitoring',
    summary: 'Send a test message to an alert channel now',
    params: idParams,
    answer: channelTestResult,
    async run(context, { params }) {
      const { orgId, clock } = context;
      const row = await requireResource(kind, context, params.id);
      return runChannelTest(
        orgId,
        openChannel(row, dependencies.secretsKey, clock.now()),
        dependencies,
        clock,
      );
    },
  });
}

export function testDraftChannelVerb(dependencies: ChannelDependencies): Verb {
  return defineReadVerb({
    name: 'channels.test_draft',
    method: 'POST',
    path: '/api/monitoring/channels/test',
    scope: 'monitoring',
    summary: 'Send a test message to an alert channel that is not stored',
    body: channelCreation,
    answer: channelTestResult,
    run: ({ orgId, clock }, { body }) =>
      runChannelTest(
        orgId,
        { config: buildChannelConfig(body, null), signing: { previousSecret: null } },
        dependencies,
        clock,
      ),
  });
}

async function runChannelTest(
  orgId: string,
  channel: OpenChannel,
  dependencies: ChannelDependencies,
  clock: Clock,
) {
  const { ok, status, error, durationMs } = await sendTestNotice(orgId, channel, { ...dependencies, clock });
  return { ok, status, error, duration_ms: durationMs };
}
