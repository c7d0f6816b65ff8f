import { redactJson, redactText } from '@floe/conditions/detect/redact';
import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import type { RelayEvent } from '@floe/contract/api/relay';
import { relayEvent } from '@floe/contract/api/relay';

/**
 * The kinds of findings that are masked in stored events. Email addresses are not masked, because the log
 * records who did something.
 */
export const MASKED_FINDING_KINDS: ReadonlySet<FindingKind> = new Set([
  'secret',
  'credit_card',
  'iban',
  'us_ssn',
]);
const MAX_TEXT_CHARACTERS = 16_384;
const MAX_LINE_CHARACTERS = 500;
/** Longer than most secrets, including most private keys. */
const MAX_SECRET_CHARACTERS = 4_096;

/** An event as it is stored. */
export interface StoredRelayEvent {
  /** A one-line summary for display. */
  readonly summary: string;
  /** The working directory with masked secrets. Null if unknown. */
  readonly cwd: string | null;
  /** The event with masked secrets, for a later simulation. Null if texts are not stored. */
  readonly json: string | null;
}

/** Masks the secrets of an event and truncates long texts. Never throws. */
export function toStoredRelayEvent(event: RelayEvent, keepText: 'masked' | 'none'): StoredRelayEvent {
  const cwd = event.cwd === undefined ? null : redactText(event.cwd, MASKED_FINDING_KINDS).text;
  if (keepText === 'none') return { summary: eventName(event), cwd, json: null };
  const { json } = redactJson(JSON.stringify(shortenTexts(event)), MASKED_FINDING_KINDS);
  const masked = relayEvent.safeParse(JSON.parse(json));
  return masked.success
    ? { summary: eventSummary(masked.data), cwd, json }
    : { summary: eventName(event), cwd, json: null };
}

function shortenTexts(event: RelayEvent): RelayEvent {
  const { shell, tool, prompt, file } = event;
  const isLong = tool !== undefined && JSON.stringify(tool.arguments).length > MAX_TEXT_CHARACTERS;
  return {
    ...event,
    ...(shell && { shell: { ...shell, command: truncateText(shell.command) } }),
    ...(tool && { tool: isLong ? { ...tool, arguments: {} } : tool }),
    ...(prompt && { prompt: { ...prompt, text: truncateText(prompt.text) } }),
    ...(file && { file: { path: file.path } }),
  };
}

/**
 * Truncates a long text after its secrets are masked, because the detectors do not find incomplete
 * secrets. A secret at the end of the searched part may be incomplete, so this end is removed too.
 */
function truncateText(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text;
  const searched = text.slice(0, MAX_TEXT_CHARACTERS + MAX_SECRET_CHARACTERS);
  const masked = redactText(searched, MASKED_FINDING_KINDS).text;
  const unsure = searched.length < text.length ? MAX_SECRET_CHARACTERS : 0;
  return masked.slice(0, Math.max(0, Math.min(MAX_TEXT_CHARACTERS, masked.length - unsure)));
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
