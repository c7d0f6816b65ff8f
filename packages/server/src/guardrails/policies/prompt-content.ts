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
/** The members that contain text or token ids. */
export const INPUT_MEMBERS = ['input', 'prompt'] as const;
/** Why policies cannot read a prompt with token ids. */
export const TOKEN_IDS_MESSAGE = 'the request contains token ids instead of text';

/** Returns whether a prompt contains token ids, which only the model's tokenizer can convert to text. */
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

/**
 * Splits an entry of a batch into its prompts and the rest. The prompt is in `params` in Messages, and in `body`
 * in other APIs.
 */
function splitEntry(entry: Json): { readonly prompts: readonly JsonObject[]; readonly rest: Json } {
  if (!isJsonObject(entry)) return { prompts: [], rest: entry };
  const { params = null, body = null, custom_id: id = null, ...other } = entry;
  const isPrompt = (value: Json): value is JsonObject => isJsonObject(value) && hasContent(value);
  const prompts = [params, body].filter(isPrompt);
  if (prompts.length === 0) return { prompts, rest: entry };
  const left = { params: isPrompt(params) ? null : params, body: isPrompt(body) ? null : body };
  return { prompts, rest: { ...other, ...left, custom_id: typeof id === 'string' ? null : id } };
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
 * Returns all texts in a value, one per line, without labels and without blobs such as images and signatures. Text in base64 data is
 * included.
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

/** The types of tools that the caller runs, and of groups of such tools. Tools of all other types are hosted tools. */
const OWN_TOOL_TYPES: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace']);

/**
 * Returns the names of all tools that the model may call: those of the prompt and those that its turns add.
 * For a namespace or an MCP server, the list contains its name and the names of the tools that it contains. A
 * hosted tool is listed by its type, and also by its name if it has one.
 */
export function listToolNames(prompt: JsonObject): string[] {
  const turns = [prompt['messages'], prompt['input']].flatMap(asArray).filter(isJsonObject);
  const lists = [prompt['tools'], prompt['functions'], ...turns.map(({ tools }) => tools)];
  return [
    ...lists.flatMap(asArray).flatMap(namesOfTool),
    ...turns.flatMap(({ content }) => asArray(content)).flatMap(namesOfAddedTool),
    // Messages declares MCP servers, and Chat web search, outside of `tools`.
    ...asArray(prompt['mcp_servers']).filter(isJsonObject).flatMap(namesOfMcpServer),
    ...(prompt['web_search_options'] == null ? [] : ['web_search']),
  ];
}

/** System messages of the Messages API contain blocks that add a tool, by its name or its definition. */
function namesOfAddedTool(block: Json): string[] {
  if (!isJsonObject(block) || block['type'] === 'tool_removal' || !isJsonObject(block['tool'])) return [];
  const { tool } = block;
  return tool['type'] === 'tool_reference'
    ? listStrings(tool, 'name')
    : namesOfTool(tool['definition'] ?? tool);
}

function namesOfMcpServer({ tool_configuration: tools, ...server }: JsonObject): string[] {
  const allowed = isJsonObject(tools) ? (tools['allowed_tools'] ?? null) : null;
  return namesOfTool({ ...server, type: 'mcp', allowed_tools: allowed });
}

/** Some providers ignore the case of member names, so all spellings of a member are read. */
function namesOfTool(tool: Json): string[] {
  if (!isJsonObject(tool)) return [''];
  const own: string[] = [];
  const types: string[] = [];
  const contained: string[] = [];
  for (const [member, value] of Object.entries(tool))
    switch (foldMemberName(member)) {
      case 'type':
        if (typeof value === 'string') types.push(value);
        break;
      case 'name':
        if (typeof value === 'string') own.push(value);
        break;
      // In Chat, the name is in a member that is named like the type of the tool.
      case 'function':
      case 'custom':
        own.push(...listStrings(value, 'name'));
        break;
      case 'allowed_tools':
        contained.push(...(isJsonObject(value) ? listStrings(value, 'tool_names') : strings(value)));
        break;
      case 'configs':
        // The toolset of an MCP server in Messages has settings for each of its tools.
        if (isJsonObject(value)) contained.push(...Object.keys(value));
        break;
      case 'tools':
        contained.push(...asArray(value).flatMap(namesOfTool));
    }
  const hosted = types.filter((type) => !OWN_TOOL_TYPES.has(type) && !own.includes(type));
  const named = [...own, ...hosted];
  return [...(named.length > 0 ? named : [types[0] ?? '']), ...contained];
}

/** Returns the strings in a member of an object, which is a string or a list. */
function listStrings(value: Json | undefined, name: string): string[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    foldMemberName(member) === name ? strings(inner) : [],
  );
}

function strings(value: Json | undefined): string[] {
  return [value].flat().filter((entry) => typeof entry === 'string');
}
