import type { AlertWording } from '../alert-wording.ts';
import { type ChannelDefinition, JSON_HEADERS, parseReceiverJson } from './channel-definition.ts';

/**
 * The definition for the PagerDuty Events API v2. The message thread is the deduplication key, so that a
 * repeated trigger does not open a second incident.
 */
export const pagerdutyDefinition: ChannelDefinition<'pagerduty'> = {
  managesIncidents: true,
  http: {
    message(notice, { base_url, routing_key }) {
      const [first] = notice.alerts;
      const { title, facts } = notice.wording;
      const closes = notice.phase === 'closes';
      const body = {
        routing_key,
        event_action: closes ? 'resolve' : 'trigger',
        dedup_key: notice.thread,
        ...(!closes && {
          client: 'Floe',
          client_url: notice.link,
          links: [{ href: notice.link, text: 'Open in Floe' }],
          payload: {
            summary: title.slice(0, 1_024),
            source: first?.subject.id ?? 'floe',
            severity: notice.phase === 'opens' ? 'critical' : notice.phase === 'test' ? 'info' : 'warning',
            timestamp: new Date(first?.at ?? notice.sentAt).toISOString(),
            ...(first && { class: first.event, component: first.subject.name.slice(0, 255) }),
            custom_details: toDetails(facts),
          },
        }),
      };
      return { url: `${base_url}/v2/enqueue`, headers: JSON_HEADERS, body: JSON.stringify(body) };
    },
    refusal: (answer) =>
      parseReceiverJson(answer)?.['status'] === 'success'
        ? null
        : 'the response is not from PagerDuty; check base_url',
  },
};

/** Converts facts to an object. Monitors in a grouped message can have the same name, and none may be lost. */
function toDetails(facts: AlertWording['facts']): Readonly<Record<string, string>> {
  const byLabel = Map.groupBy(facts, ([label]) => label);
  return Object.fromEntries(
    [...byLabel].map(([label, same]) => [label, same.map(([, value]) => value).join('; ')]),
  );
}
