import type { FloeConfig } from '@floe/contract/config';
import type { Quiet } from '../alerts/compose.ts';
import { type AlertDelivery, startAlertDelivery } from '../alerts/delivery.ts';
import { createMailer, mailSettings } from '../alerts/mail.ts';
import { createSender } from '../alerts/send.ts';
import { systemClock } from '../core/clock.ts';
import type { ChannelParts } from '../management/channels/test-channel.ts';
import type { Parts } from './parts.ts';

export interface Alerts extends ChannelParts {
  start(): AlertDelivery;
}

/** The outbox's way out: sender, delivery, and what the verbs of channels need. @param place where this process is reached */
export function assembleAlerts(
  parts: Parts,
  config: () => FloeConfig,
  place: { readonly url: string },
  quiet: Quiet,
): Alerts {
  const { database, log, metrics, secretsKey, outbound } = parts;
  const clock = systemClock;
  const mailer = createMailer(() => mailSettings(config().smtp), outbound.guard, outbound.via);
  const sender = createSender({ guard: outbound.guard, via: outbound.via, clock, mailer });
  const baseUrl = () => place.url;
  return {
    secretsKey,
    sender,
    baseUrl,
    start: () =>
      startAlertDelivery({
        database,
        clock,
        log,
        sender,
        secretsKey,
        baseUrl,
        quiet,
        random: Math.random,
        count: metrics.alert,
      }),
  };
}
