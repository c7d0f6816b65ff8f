import { Unjudged } from '@floe/conditions/condition';
import { type Found, findInJson } from '@floe/conditions/detect/json-texts';
import type { Variable, Variables } from '@floe/conditions/vocabulary';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { readNumber, type Span } from '@floe/wire/splice';
import type { Subject } from './judge.ts';
import type { PolicySide } from './policies.ts';

/** The session that a request belongs to. */
export interface JudgedSession {
  readonly id: string;
  /** Whether it asked the relay. */
  readonly relayed: boolean;
  readonly requests: number;
}

/** A request as the gateway knows it before anything is sent. */
export interface JudgedRequest {
  /** Well-formed JSON, an object. */
  readonly body: Buffer;
  /** Byte spans of its top-level members. */
  readonly members: ReadonlyMap<string, Span>;
  readonly model: string;
  readonly stream: boolean;
  readonly surface: string;
  readonly key: string;
  readonly team: string | null;
  readonly owner: string | null;
  readonly endUser: string | null;
  readonly metadata: JsonObject | null;
  /** The session of an agent; null where nobody watches sessions. */
  readonly session?: JudgedSession | null;
}

/** Conditions judge no more than this: what they may take is bounded whatever is sent. */
const TEXT_CHARS = 4_000_000;
const LIST_ENTRIES = 10_000;

/** Reads a request for the rules of a side, each part once and only when a rule asks for it. */
export class RequestSubject implements Subject {
  readonly #request: JudgedRequest;
  readonly #side: PolicySide;
  #json: string | null = null;
  #parsed: JsonObject | null = null;
  #messages: readonly Message[] | null = null;
  #variables: Variables | Unjudged | null = null;
  #found: Found | null = null;

  constructor(request: JudgedRequest, side: PolicySide) {
    this.#request = request;
    this.#side = side;
  }

  variables(): Variables | Unjudged {
    this.#variables ??= this.#bounded();
    return this.#variables;
  }

  found(): Found {
    this.#found ??= findInJson(this.#text(), this.#side.detects);
    return this.#found;
  }

  #text(): string {
    this.#json ??= this.#request.body.toString('utf8');
    return this.#json;
  }

  #bounded(): Variables | Unjudged {
    const { needs } = this.#side;
    if (needs.has('request') || needs.has('request.messages') || needs.has('request.text')) {
      const messages = this.#allMessages();
      if (messages.length > LIST_ENTRIES) return new Unjudged(`more than ${LIST_ENTRIES} messages`);
      const chars = messages.reduce((sum, { text }) => sum + text.length, 0);
      if (chars > TEXT_CHARS) return new Unjudged(`longer than ${TEXT_CHARS} characters`);
    }
    if (needs.has('request') || needs.has('request.tools'))
      if (listIn(this.#body(), 'tools').length > LIST_ENTRIES)
        return new Unjudged(`more than ${LIST_ENTRIES} tools`);
    const { key, team, owner, endUser, surface, metadata, session } = this.#request;
    return {
      key,
      surface,
      team: team ?? '',
      owner: owner ?? '',
      end_user: endUser ?? '',
      metadata: needs.has('metadata') ? variableOf(metadata ?? {}) : null,
      request: this.#members(needs),
      session: new Map<string, Variable>([
        ['id', session?.id ?? ''],
        ['relayed', session?.relayed ?? false],
        ['requests', BigInt(session?.requests ?? 0)],
      ]),
    };
  }

  #members(needs: ReadonlySet<string>): ReadonlyMap<string, Variable> {
    const members = new Map<string, Variable>();
    for (const name of REQUEST_MEMBERS)
      if (needs.has('request') || needs.has(`request.${name}`)) members.set(name, this.#member(name));
    return members;
  }

  #member(name: (typeof REQUEST_MEMBERS)[number]): Variable {
    const { model, stream, body } = this.#request;
    switch (name) {
      case 'model':
        return model;
      case 'stream':
        return stream;
      case 'bytes':
        return BigInt(body.length);
      case 'max_tokens':
        return BigInt(Math.trunc(this.#number(OUTPUT_CAPS) ?? 0));
      case 'temperature':
        return this.#number(['temperature']) ?? 0;
      case 'system':
        return this.#allMessages().filter(isSystem).map(textOf).join('\n');
      case 'messages':
        return this.#allMessages().map(
          ({ role, text }) =>
            new Map([
              ['role', role],
              ['text', text],
            ]),
        );
      case 'text':
        return this.#allMessages().map(textOf).join('\n');
      case 'tools':
        return listIn(this.#body(), 'tools').map(toolName);
    }
  }

  #number(names: readonly string[]): number | null {
    const { body, members } = this.#request;
    for (const name of names) {
      const span = members.get(name);
      const value = span && readNumber(body, span);
      if (value !== undefined && Number.isFinite(value)) return value;
    }
    return null;
  }

  #body(): JsonObject {
    if (this.#parsed) return this.#parsed;
    const parsed: unknown = JSON.parse(this.#text());
    if (!isObject(parsed)) throw new Error('a judged body is an object');
    this.#parsed = parsed;
    return parsed;
  }

  #allMessages(): readonly Message[] {
    this.#messages ??= messagesIn(this.#body());
    return this.#messages;
  }
}

const REQUEST_MEMBERS = [
  'model',
  'stream',
  'bytes',
  'max_tokens',
  'temperature',
  'system',
  'messages',
  'text',
  'tools',
] as const;
const OUTPUT_CAPS = ['max_completion_tokens', 'max_output_tokens', 'max_tokens'];

interface Message {
  readonly role: string;
  readonly text: string;
}

const textOf = ({ text }: Message) => text;
const isSystem = ({ role }: Message) => role === 'system' || role === 'developer';

/** The turns of a Chat, Responses, Messages or embeddings body, what stands before them as `system`. */
function messagesIn(body: JsonObject): Message[] {
  const messages: Message[] = [];
  for (const name of ['instructions', 'system'])
    if (body[name] != null) messages.push({ role: 'system', text: textIn(body[name]) });
  for (const name of ['messages', 'input', 'prompt']) {
    const turns = body[name];
    if (turns == null) continue;
    if (Array.isArray(turns)) for (const turn of turns) messages.push(messageOf(turn));
    else messages.push(messageOf(turns));
  }
  return messages;
}

function messageOf(turn: Json): Message {
  if (!isObject(turn)) return { role: 'user', text: textIn(turn) };
  const { role, type } = turn;
  const name = typeof role === 'string' ? role : typeof type === 'string' ? type : 'user';
  return { role: name, text: textIn(turn) };
}

/** Members that say what something is, not what it says. */
const LABELS: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'status',
]);
const BLOB = /^(?:data:[\w.+/-]{1,100};base64,)?[A-Za-z0-9+/_=-]{128,}$/;

/** Every text in a value, a line each; labels and blobs (images, signatures) are none. */
function textIn(value: Json | undefined): string {
  const texts: string[] = [];
  collect(value, texts);
  return texts.join('\n');
}

function collect(value: Json | undefined, texts: string[]): void {
  if (typeof value === 'string') {
    if (value !== '' && !BLOB.test(value)) texts.push(value);
  } else if (Array.isArray(value)) for (const entry of value) collect(entry, texts);
  else if (isObject(value))
    for (const [name, entry] of Object.entries(value)) if (!LABELS.has(name)) collect(entry, texts);
}

function listIn(body: JsonObject, name: string): readonly Json[] {
  const list = body[name];
  return Array.isArray(list) ? list : [];
}

/** `function` of Chat, or the tool's own name; of a hosted tool its type. */
function toolName(tool: Json): string {
  if (!isObject(tool)) return '';
  const { function: inner, name, type } = tool;
  const given = isObject(inner) ? inner['name'] : (name ?? type);
  return typeof given === 'string' ? given : '';
}

/** JSON as conditions see it. */
function variableOf(value: Json | undefined): Variable {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(variableOf);
  if (isObject(value))
    return new Map(Object.entries(value).map(([name, entry]) => [name, variableOf(entry)]));
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}
