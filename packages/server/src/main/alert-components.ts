import type { FloeConfig } from '@floe/contract/config';
import { type AlertDeliveryService, startAlertDelivery } from '../alerts/alert-delivery.ts';
import { createAlertSender } from '../alerts/alert-sender.ts';
import { createMailer, toSmtpSettings } from '../alerts/mailer.ts';
import type { AlertMuteResolver } from '../alerts/prepared-alert-message.ts';
import { systemClock } from '../core/clock.ts';
import type { ChannelDependencies } from '../management/channels/test-channel.ts';
import type { ServerComponents } from './server-components.ts';

/** The dependencies of the channel operations, and the function that starts the alert delivery. */
export interface AlertComponents extends ChannelDependencies {
  start(): AlertDeliveryService;
}

/**
 * Creates the alert sender, the alert delivery and the dependencies of the channel operations.
 * @param place contains the base URL of this process; the URL can change
 */
export function createAlertComponents(
  parts: ServerComponents,
  config: () => FloeConfig,
  place: { readonly url: string },
  quiet: AlertMuteResolver,
): AlertComponents {
  const { database, log, metrics, secretsKey, outbound, monitoring } = parts;
  const clock = systemClock;
  // Leases and due times are compared between processes, whose clocks can differ.
  const databaseClock = { ...systemClock, now: () => monitoring.now() };
  const mailer = createMailer(() => toSmtpSettings(config().smtp), outbound.guard, outbound.via);
  const sender = createAlertSender({ guard: outbound.guard, via: outbound.via, clock, mailer });
  const baseUrl = () => place.url;
  return {
    secretsKey,
    sender,
    baseUrl,
    start: () =>
      startAlertDelivery({
        database,
        clock: databaseClock,
        log,
        sender,
        secretsKey,
        baseUrl,
        resolveMutes: quiet,
        random: Math.random,
        countResult: metrics.recordAlertAttempt,
      }),
  };
}
