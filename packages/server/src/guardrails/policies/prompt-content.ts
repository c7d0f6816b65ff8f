import { decodeBase64Text, isBase64Blob } from '@floe/conditions/detect/base64-blobs';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { foldMemberName } from '@floe/wire/inspected-members';
import { asArray } from '@floe/wire/json-narrowing';
import { MAX_OUTPUT_TOKENS_FIELDS } from '../requested-max-output-tokens.ts';

/** A turn of a prompt. */
export interface PromptMessage {
  readonly role: string;
  readonly text: string;
}

const INSTRUCTION_MEMBERS = ['instructions', 'system'] as const;
const TURN_MEMBERS = ['messages', 'input', 'prompt'] as const;
/** The request members that can contain token ids instead of text. */
export const INPUT_MEMBERS = ['input', 'prompt'] as const;
/** Why policies cannot read a prompt with token ids. */
export const TOKEN_IDS_MESSAGE = 'the request contains token ids instead of text';

/**
 * Returns whether a parsed prompt contains token ids, which only the model's tokenizer can convert to text.
 * `containsTokenIds` applies the same rule to bytes.
 */
export function hasTokenIds(body: JsonObject): boolean {
  const isNumber = (value: Json) => typeof value === 'number';
  return INPUT_MEMBERS.some((name) =>
    asArray(body[name]).some((entry) => isNumber(entry) || asArray(entry).some(isNumber)),
  );
}

/** The members that contain the text of a prompt. */
const PROMPT_MEMBERS = [...INSTRUCTION_MEMBERS, ...TURN_MEMBERS] as const;
/** The members that contain prompts: the entries of a batch of Messages, and the session of the Realtime API. */
export const PROMPT_CONTAINER_MEMBERS = ['requests', 'session'] as const;
/** The members by which a session is recognized as a prompt, even if the body has other content. */
const SESSION_PROMPT_MEMBERS = [...PROMPT_MEMBERS, 'tools', ...MAX_OUTPUT_TOKENS_FIELDS];
/** Members outside of the contained prompts that are never part of a prompt. */
const OUTER_MEMBERS: ReadonlySet<string> = new Set(['model', 'stream', 'expires_after']);

/** A body, split into the prompts in its members `PROMPT_CONTAINER_MEMBERS` and the rest. */
export interface SplitPromptBody {
  readonly contained: readonly JsonObject[];
  /** The body without the contained prompts. */
  readonly rest: JsonObject;
  /** Whether the rest has content, so that it is evaluated as a prompt. */
  readonly isRestPrompt: boolean;
}

/**
 * Separates the prompts in `requests` and `session` from the rest of the body. Together, the parts contain all text,
 * so policies evaluate the whole body.
 */
export function separateNestedPrompts(body: JsonObject): SplitPromptBody {
  const { requests = null, session = null, ...outer } = body;
  const entries = Array.isArray(requests) ? requests.map(splitEntry) : [];
  const left = Array.isArray(requests) ? entries.map(({ rest }) => rest) : requests;
  const isOuterPrompt =
    hasContent(left) ||
    PROMPT_MEMBERS.some((name) => outer[name] != null) ||
    Object.entries(outer).some(([name, value]) => !OUTER_MEMBERS.has(name) && hasContent(value));
  const sessionPrompt =
    isJsonObject(session) &&
    hasContent(session) &&
    (!isOuterPrompt || SESSION_PROMPT_MEMBERS.some((name) => session[name] != null))
      ? session
      : null;
  const contained = [
    ...entries.flatMap(({ prompts }) => prompts),
    ...(sessionPrompt === null ? [] : [sessionPrompt]),
  ];
  const leftSession = sessionPrompt === null ? session : null;
  return {
    contained,
    rest: { ...outer, requests: left, session: leftSession },
    isRestPrompt: isOuterPrompt || contained.length === 0 || hasContent(leftSession),
  };
}

/** The members of an entry of a batch that contain a prompt: `params` in Messages, and `body` in other APIs. */
const ENTRY_PROMPT_MEMBERS: ReadonlySet<string> = new Set(['params', 'body']);

/** Splits an entry of a batch into its prompts and the rest. Some providers ignore the case of member names. */
function splitEntry(entry: Json): { readonly prompts: readonly JsonObject[]; readonly rest: Json } {
  if (!isJsonObject(entry)) return { prompts: [], rest: entry };
  const prompts: JsonObject[] = [];
  const rest: [string, Json][] = [];
  for (const [name, value = null] of Object.entries(entry))
    if (ENTRY_PROMPT_MEMBERS.has(foldMemberName(name)) && isJsonObject(value) && hasContent(value))
      prompts.push(value);
    else if (name !== 'custom_id' || typeof value !== 'string') rest.push([name, value]);
  return prompts.length === 0 ? { prompts, rest: entry } : { prompts, rest: Object.fromEntries(rest) };
}

/** Whether a value contains anything except null, empty lists and empty objects. */
function hasContent(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasContent);
  return isJsonObject(value) ? Object.values(value).some(hasContent) : value != null;
}

/**
 * Returns the messages of a Chat, Responses, Messages or embeddings body. Instructions become a `system` message. If
 * the body has no messages, or `hasOtherText` is true, the remaining text, except the model, becomes one `user`
 * message.
 */
export function parsePromptMessages(body: JsonObject, hasOtherText: boolean): PromptMessage[] {
  const messages: PromptMessage[] = [];
  for (const name of INSTRUCTION_MEMBERS)
    if (body[name] != null) messages.push({ role: 'system', text: collectText(body[name]) });
  for (const name of TURN_MEMBERS) {
    const turns = body[name];
    if (turns == null) continue;
    if (Array.isArray(turns)) for (const turn of turns) messages.push(parseMessage(turn));
    else messages.push(parseMessage(turns));
  }
  if (hasOtherText || PROMPT_MEMBERS.every((name) => body[name] == null)) {
    const text = collectText({ ...body, ...WITHOUT_PROMPT });
    if (text !== '') messages.push({ role: 'user', text });
  }
  return messages;
}

const WITHOUT_PROMPT = Object.fromEntries(['model', ...PROMPT_MEMBERS].map((name) => [name, null]));

function parseMessage(turn: Json): PromptMessage {
  if (!isJsonObject(turn)) return { role: 'user', text: collectText(turn) };
  const { role, type } = turn;
  const name = typeof role === 'string' ? role : typeof type === 'string' ? type : 'user';
  return { role: name, text: collectText(turn) };
}

/** Members that describe a value rather than contain text. */
const LABEL_MEMBERS: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'status',
]);
/** Members that contain text. They are never treated as blobs, so that padding cannot hide text. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set([
  'text',
  'content',
  'input',
  'prompt',
  'system',
  'instructions',
  'arguments',
  'output',
]);

/**
 * Returns all texts in a value, one per line, without labels and without blobs such as images and signatures. Text in
 * base64 data is included.
 */
function collectText(value: Json | undefined): string {
  const texts: string[] = [];
  addTexts(value, { isText: true, isArguments: false }, texts);
  return texts.join('\n');
}

interface TextPlace {
  /** Whether the value belongs to a member that contains text. */
  readonly isText: boolean;
  /** Whether the value belongs to the arguments of a tool call, whose members have no defined meaning. */
  readonly isArguments: boolean;
}

function addTexts(value: Json | undefined, { isText, isArguments }: TextPlace, texts: string[]): void {
  if (typeof value === 'string') {
    if (value !== '' && (isText || !isBase64Blob(value))) texts.push(value);
    const encoded = isText ? null : decodeBase64Text(value);
    if (encoded) texts.push(encoded.text);
  } else if (Array.isArray(value)) for (const entry of value) addTexts(entry, { isText, isArguments }, texts);
  else if (isJsonObject(value))
    for (const [name, entry] of Object.entries(value)) {
      if (LABEL_MEMBERS.has(name) && !isArguments) continue;
      const areArguments = isArguments || (name === 'input' && isJsonObject(entry));
      addTexts(entry, { isText: TEXT_MEMBERS.has(name), isArguments: areArguments }, texts);
    }
}
