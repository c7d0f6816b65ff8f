import { redactJson } from '@floe/conditions/detect/redact';
import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import type { RelayEvent } from '@floe/contract/api/relay';
import { relayEvent } from '@floe/contract/api/relay';

/**
 * The kinds of findings that are masked in the log. Email addresses are not, because the log records who did
 * something.
 */
const MASKED_FINDINGS: ReadonlySet<FindingKind> = new Set(['secret', 'credit_card', 'iban', 'us_ssn']);
const MAX_TEXT_CHARACTERS = 16_384;
const MAX_LINE_CHARACTERS = 500;

/** An event as it is stored. */
export interface StoredRelayEvent {
  /** A one-line summary for display. */
  readonly summary: string;
  /** The event with masked secrets, for a later simulation. Null if texts are not stored. */
  readonly json: string | null;
}

/** Masks the secrets of an event and truncates long texts. Never throws. */
export function toStoredRelayEvent(event: RelayEvent, keepText: 'masked' | 'none'): StoredRelayEvent {
  if (keepText === 'none') return { summary: eventName(event), json: null };
  const { json } = redactJson(JSON.stringify(shortenTexts(event)), MASKED_FINDINGS);
  const masked = relayEvent.safeParse(JSON.parse(json));
  return masked.success
    ? { summary: eventSummary(masked.data), json }
    : { summary: eventName(event), json: null };
}

function shortenTexts(event: RelayEvent): RelayEvent {
  const { shell, tool, prompt, file } = event;
  const isLong = tool !== undefined && JSON.stringify(tool.arguments).length > MAX_TEXT_CHARACTERS;
  return {
    ...event,
    ...(shell && { shell: { ...shell, command: shell.command.slice(0, MAX_TEXT_CHARACTERS) } }),
    ...(tool && { tool: isLong ? { ...tool, arguments: {} } : tool }),
    ...(prompt && { prompt: { ...prompt, text: prompt.text.slice(0, MAX_TEXT_CHARACTERS) } }),
    ...(file && { file: { path: file.path } }),
  };
}

/** Returns the kind of event and the tool, without any text of the user. */
function eventName({ event, tool, shell }: RelayEvent): string {
  if (tool) return tool.name;
  return shell ? 'a shell command' : event.replace('_', ' ');
}

function eventSummary({ shell, tool, prompt, file }: RelayEvent): string {
  const server = tool?.url ?? tool?.command ?? tool?.server;
  const call =
    tool && `${server === undefined ? '' : `${server} `}${tool.name} ${JSON.stringify(tool.arguments)}`;
  const line = shell?.command ?? call ?? prompt?.text ?? file?.path ?? '';
  return line.slice(0, MAX_LINE_CHARACTERS);
}
