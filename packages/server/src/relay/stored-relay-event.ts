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
/** Events that are longer are not stored. Only an event with many characters that JSON escapes can be longer. */
const MAX_EVENT_JSON_CHARACTERS = 65_536;
const MAX_LINE_CHARACTERS = 500;
/** Characters that are invisible, that change the order of others, or that start escape sequences. */
const DECEPTIVE_CHARACTERS =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]|\u034f/gu;
/** Longer than most secrets, including most private keys. */
const MAX_SECRET_CHARACTERS = 4_096;

/** An event as it is stored. */
export interface StoredRelayEvent {
  /** A one-line summary for display. */
  readonly summary: string;
  /** What a person approves: the whole stored text, in which no character is hidden. */
  readonly action: string;
  /** The working directory with masked secrets. Null if unknown. */
  readonly cwd: string | null;
  /** The event with masked secrets, for a later simulation. Null if texts are not stored or the event is too long. */
  readonly json: string | null;
}

/** Masks the secrets of an event and truncates long texts. Never throws. */
export function toStoredRelayEvent(event: RelayEvent, keepText: 'masked' | 'none'): StoredRelayEvent {
  const cwd = event.cwd === undefined ? null : redactText(event.cwd, MASKED_FINDING_KINDS).text;
  const name = eventName(event);
  if (keepText === 'none') return { summary: name, action: name, cwd, json: null };
  const { json } = redactJson(JSON.stringify(shortenTexts(event)), MASKED_FINDING_KINDS);
  const masked = relayEvent.safeParse(JSON.parse(json));
  if (!masked.success) return { summary: name, action: name, cwd, json: null };
  const text = describeEvent(masked.data);
  return {
    summary: text.slice(0, MAX_LINE_CHARACTERS),
    action: describeAction(text, event),
    cwd,
    json: json.length > MAX_EVENT_JSON_CHARACTERS ? null : json,
  };
}

function shortenTexts(event: RelayEvent): RelayEvent {
  const { shell, tool, prompt, file } = event;
  const isLong = tool !== undefined && hasLongArguments(tool);
  return {
    ...event,
    ...(shell && { shell: { ...shell, command: truncateText(shell.command) } }),
    ...(tool && { tool: isLong ? { ...tool, arguments: {} } : tool }),
    ...(prompt && {
      prompt: { text: truncateText(prompt.text), attachments: truncateList(prompt.attachments) },
    }),
    ...(file && { file: { path: file.path } }),
  };
}

/** Returns the first entries of a list, up to the maximum number of characters. */
function truncateList<Entry>(list: readonly Entry[]): Entry[] {
  let left = MAX_TEXT_CHARACTERS;
  return list.filter((entry) => {
    left -= JSON.stringify(entry).length;
    return left >= 0;
  });
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

function describeEvent({ shell, tool, prompt, file }: RelayEvent): string {
  // A user can choose any name, such as the URL of another connector.
  const label = tool?.server === undefined ? undefined : `(connector named ${JSON.stringify(tool.server)})`;
  const server = tool?.url ?? tool?.command ?? label;
  const call =
    tool && `${server === undefined ? '' : `${server} `}${tool.name} ${JSON.stringify(tool.arguments)}`;
  return shell?.command ?? call ?? prompt?.text ?? file?.path ?? '';
}

/**
 * Replaces hidden characters with codes. Otherwise, a command could look like another one to the person who approves it.
 */
function showHiddenCharacters(text: string): string {
  return text.replaceAll(
    DECEPTIVE_CHARACTERS,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}

/** States which parts of the action are missing, so that members do not overlook them. */
function describeAction(text: string, { shell, tool, prompt, file }: RelayEvent): string {
  // A hidden character takes up to nine characters.
  const shown = showHiddenCharacters(text);
  const whole = Math.max(shown.length, (shell?.command ?? prompt?.text ?? '').length);
  const parts = [
    shown.slice(0, MAX_TEXT_CHARACTERS),
    whole > MAX_TEXT_CHARACTERS ? `… (This text is incomplete. The whole text has ${whole} characters.)` : [],
    tool && hasLongArguments(tool) ? '(Floe does not store these arguments, because they are too long.)' : [],
    file?.content === undefined ? [] : '(Floe does not store the content of the file.)',
  ];
  return parts.flat().join(' ');
}

function hasLongArguments(tool: NonNullable<RelayEvent['tool']>): boolean {
  return JSON.stringify(tool.arguments).length > MAX_TEXT_CHARACTERS;
}
