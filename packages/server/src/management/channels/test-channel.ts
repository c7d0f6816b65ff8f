import { channelCreation, channelTestResult } from '@floe/contract/api/channels';
import { idParams } from '@floe/contract/api/page';
import type { AlertSender } from '../../alerts/alert-sender.ts';
import { sendTestAlertMessage } from '../../alerts/send-test-alert-message.ts';
import { type DecryptedChannel, decryptChannel } from '../../alerts/stored-channel.ts';
import type { Clock } from '../../core/clock.ts';
import type { SecretEncryptionKey } from '../../platform/secrets.ts';
import { MONITORING_SCOPES } from '../monitors/monitoring-dependencies.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { requireReadableSecret } from '../readable-secret.ts';
import { createChannelResourceKind } from '../resources/channels.ts';
import { requireResource } from '../resources/resource-operations.ts';
import { buildChannelConfig } from './channel-config.ts';

/** The dependencies of the channel operations. */
export interface ChannelDependencies {
  readonly secretsKey: SecretEncryptionKey;
  readonly sender: AlertSender;
  readonly baseUrl: () => string;
}

/**
 * Defines the operation that sends a test message to a stored channel. The status is 200 even if
 * the receiver rejects the message, because the rejection is the result of the test.
 */
export function defineTestStoredChannelOperation(dependencies: ChannelDependencies): Operation {
  const kind = createChannelResourceKind(dependencies.secretsKey);
  return defineReadOperation({
    name: 'channels.test',
    method: 'POST',
    path: '/api/monitoring/channels/{id}/test',
    scope: MONITORING_SCOPES,
    summary: 'Send a test message to a stored alert channel',
    params: idParams,
    answer: channelTestResult,
    async run(context, { params }) {
      const { clock } = context;
      const row = await requireResource(kind, context, params.id);
      const channel = requireReadableSecret(() => decryptChannel(row, dependencies.secretsKey, clock.now()));
      return runChannelTest(channel, dependencies, clock);
    },
  });
}

/** Defines the operation that sends a test message to a channel that is not stored. */
export function defineTestDraftChannelOperation(dependencies: ChannelDependencies): Operation {
  return defineReadOperation({
    name: 'channels.test_draft',
    method: 'POST',
    path: '/api/monitoring/channels/test',
    scope: MONITORING_SCOPES,
    summary: 'Send a test message to an alert channel without storing the channel',
    body: channelCreation,
    answer: channelTestResult,
    run: ({ orgId, clock }, { body }) =>
      runChannelTest(
        { orgId, config: buildChannelConfig(body, null), signing: { previousSecret: null } },
        dependencies,
        clock,
      ),
  });
}

async function runChannelTest(channel: DecryptedChannel, dependencies: ChannelDependencies, clock: Clock) {
  const { ok, status, error, durationMs } = await sendTestAlertMessage(channel, { ...dependencies, clock });
  return { ok, status, error, duration_ms: durationMs };
}
