import type { Clock } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import { createTestAlertMessage } from './alert-message.ts';
import type { AlertSender } from './alert-sender.ts';
import type { DecryptedChannel } from './stored-channel.ts';

/** The result of sending a test message. */
export interface TestAlertMessageResult {
  readonly ok: boolean;
  /** HTTP or SMTP status; null if the receiver did not respond. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/**
 * Sends one test message to a stored channel, or to one that is not stored yet, regardless of its
 * subscriptions.
 */
export async function sendTestAlertMessage(
  channel: DecryptedChannel,
  {
    sender,
    clock,
    baseUrl,
  }: { readonly sender: AlertSender; readonly clock: Clock; readonly baseUrl: () => string },
): Promise<TestAlertMessageResult> {
  const now = clock.now();
  const started = clock.monotonic();
  const notice = createTestAlertMessage(
    createId('dlv', now),
    { orgId: channel.orgId, name: channel.config.name },
    baseUrl(),
    now,
  );
  const outcome = await sender.send(notice, channel);
  const durationMs = Math.round(clock.monotonic() - started);
  const { ok, status } = outcome;
  return { ok, status, error: outcome.ok ? (outcome.warning ?? null) : outcome.error, durationMs };
}
