import { createHmac } from 'node:crypto';
import type { Alert } from '../alert.ts';
import type { AlertMessage } from '../alert-message.ts';
import { type ChannelDefinition, JSON_HEADERS } from './channel-definition.ts';

/**
 * The definition for webhooks. The body is JSON, signed according to Standard Webhooks version 1
 * (standardwebhooks.com): `webhook-id`, `webhook-timestamp`, and `webhook-signature` over
 * `id.timestamp.body`. While a secret is being replaced, the header contains two signatures.
 */
export const webhookDefinition: ChannelDefinition<'webhook'> = {
  http: {
    message(notice, config, { previousSecret }) {
      const body = JSON.stringify(payload(notice));
      const seconds = Math.floor(notice.sentAt / 1000);
      const secrets = [config.secret, previousSecret].filter((secret) => typeof secret === 'string');
      const signatures = secrets.map((secret) => `v1,${signWebhook(secret, notice.id, seconds, body)}`);
      return {
        url: config.url,
        headers: {
          ...JSON_HEADERS,
          'webhook-id': notice.id,
          'webhook-timestamp': String(seconds),
          ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
        },
        body,
      };
    },
  },
};

function signWebhook(secret: string, id: string, seconds: number, body: string): string {
  return createHmac('sha256', decodeSigningSecret(secret))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
}

/** Decodes the base64 text after the prefix `whsec_`. Returns any other secret unchanged. */
function decodeSigningSecret(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8');
}

function payload(notice: AlertMessage): object {
  const [first, ...others] = notice.alerts;
  const said = { title: notice.wording.title, link: notice.link };
  const timestamp = new Date(notice.sentAt).toISOString();
  if (!first) return { type: 'test', timestamp, data: { ...said } };
  const data = {
    ...said,
    thread: notice.thread,
    repetition: notice.repetition,
    ...(notice.failureCount > 1 && { failure_count: notice.failureCount }),
  };
  if (others.length === 0) return { type: first.event, timestamp, data: { ...data, ...toAlertJson(first) } };
  return { type: 'alerts_grouped', timestamp, data: { ...data, alerts: notice.alerts.map(toAlertJson) } };
}

/**
 * Converts an alert to the form that webhooks and the API use: snake_case names with units, and
 * times in ISO 8601.
 */
export function toAlertJson(alert: Alert) {
  return {
    event: alert.event,
    org: alert.orgId,
    subject: alert.subject,
    at: new Date(alert.at).toISOString(),
    fields: Object.fromEntries(Object.entries(alert.fields).map(([name, value]) => toField(name, value))),
  };
}

function toField(name: string, value: unknown): [string, unknown] {
  const words = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (!words.endsWith('_ms')) return [words, value];
  const what = words.slice(0, -3);
  if (name === 'downtimeMs') return ['downtime_seconds', Math.round(Number(value) / 1000)];
  const named = /_(since|at)$|^since$/.test(what) ? what : `${what}_at`;
  return [named, typeof value === 'number' ? new Date(value).toISOString() : value];
}
