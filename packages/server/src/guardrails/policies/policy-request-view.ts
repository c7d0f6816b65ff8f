import { EvaluationFailure } from '@floe/conditions/condition';
import { isBase64Blob } from '@floe/conditions/detect/base64-blobs';
import { type FindingLocationsByKind, locateFindings } from '@floe/conditions/detect/locate-findings';
import { type FindingCounts, type JsonScanResult, scanJson } from '@floe/conditions/detect/redact';
import type { ConditionValue, ConditionVariables } from '@floe/conditions/vocabulary';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { type ByteSpan, readNumberAt } from '@floe/wire/json-edits';
import { findRequestedMaxOutputTokens } from '../requested-max-output-tokens.ts';
import type { PolicyEvaluationInput } from './evaluate-policies.ts';
import { type InlineLimits, requireParsableInline, requireReadableInline } from './inline-limits.ts';
import type { PolicySet } from './policies.ts';

/** The agent session that a request belongs to. */
export interface PolicySession {
  readonly id: string;
  /** Whether the session has requested decisions from the relay. */
  readonly relayed: boolean;
  readonly requests: number;
}

/** A request that policies evaluate before it is sent to a provider. */
export interface PolicyRequest {
  /** Well-formed JSON, an object. */
  readonly body: Buffer;
  /** Byte ranges of its top-level members. */
  readonly members: ReadonlyMap<string, ByteSpan>;
  readonly model: string;
  readonly stream: boolean;
  readonly surface: string;
  readonly key: string;
  readonly team: string | null;
  readonly owner: string | null;
  readonly endUser: string | null;
  readonly metadata: JsonObject | null;
  /** The session of an agent; null if sessions are not tracked. */
  readonly session?: PolicySession | null;
}

/** Conditions cannot evaluate larger texts, so the cost of a condition is bounded. */
const MAX_TEXT_CHARS = 4_000_000;
const MAX_LIST_ENTRIES = 10_000;

/**
 * The view of a request that policies evaluate. Reads each field of the request at most once, and
 * only if a policy needs the field.
 */
export class PolicyRequestView implements PolicyEvaluationInput {
  readonly #request: PolicyRequest;
  readonly #policySet: PolicySet;
  readonly #limits: InlineLimits | null;
  #json: string | null = null;
  #parsed: JsonObject | null = null;
  #messages: readonly Message[] | null = null;
  #variables: ConditionVariables | EvaluationFailure | null = null;
  #scan: JsonScanResult | null = null;
  #places: FindingLocationsByKind | null = null;

  /** @param limits null in a worker thread, where the evaluation may take longer */
  constructor(request: PolicyRequest, policySet: PolicySet, limits: InlineLimits | null = null) {
    this.#request = request;
    this.#policySet = policySet;
    this.#limits = limits;
  }

  variables(): ConditionVariables | EvaluationFailure {
    this.#variables ??= this.#buildVariables();
    return this.#variables;
  }

  findings(): FindingCounts {
    const { detects, cleanTexts } = this.#policySet;
    this.#scan ??= scanJson(this.#text(), detects, { cleanTexts, maxChars: this.#limits?.scannedChars });
    return this.#scan.counts;
  }

  places(): FindingLocationsByKind {
    requireParsableInline(this.#request.body.length, this.#limits);
    this.#places ??= locateFindings(this.#text(), this.#policySet.detects, this.#scan ?? undefined);
    return this.#places;
  }

  /** The scan of the body; null if no policy has needed it. */
  get scan(): JsonScanResult | null {
    return this.#scan;
  }

  #text(): string {
    requireReadableInline(this.#request.body.length, this.#limits);
    this.#json ??= this.#request.body.toString('utf8');
    return this.#json;
  }

  #buildVariables(): ConditionVariables | EvaluationFailure {
    const { needs } = this.#policySet;
    if (needs.has('request') || needs.has('request.messages') || needs.has('request.text')) {
      const messages = this.#allMessages();
      if (messages.length > MAX_LIST_ENTRIES)
        return new EvaluationFailure(`the request has more than ${MAX_LIST_ENTRIES} messages`);
      const chars = messages.reduce((sum, { text }) => sum + text.length, 0);
      if (chars > MAX_TEXT_CHARS)
        return new EvaluationFailure(`the text is longer than ${MAX_TEXT_CHARS} characters`);
    }
    if (needs.has('request') || needs.has('request.tools'))
      if (arrayMember(this.#body(), 'tools').length > MAX_LIST_ENTRIES)
        return new EvaluationFailure(`the request has more than ${MAX_LIST_ENTRIES} tools`);
    const { key, team, owner, endUser, surface, metadata, session } = this.#request;
    return {
      key,
      surface,
      team: team ?? '',
      owner: owner ?? '',
      end_user: endUser ?? '',
      metadata: needs.has('metadata') ? toVariable(metadata ?? {}) : null,
      request: this.#requestVariables(needs),
      session: new Map<string, ConditionValue>([
        ['id', session?.id ?? ''],
        ['relayed', session?.relayed ?? false],
        ['requests', BigInt(session?.requests ?? 0)],
      ]),
    };
  }

  #requestVariables(needs: ReadonlySet<string>): ReadonlyMap<string, ConditionValue> {
    const members = new Map<string, ConditionValue>();
    for (const name of REQUEST_MEMBERS)
      if (needs.has('request') || needs.has(`request.${name}`))
        members.set(name, this.#requestVariable(name));
    return members;
  }

  #requestVariable(name: (typeof REQUEST_MEMBERS)[number]): ConditionValue {
    const { model, stream, body } = this.#request;
    switch (name) {
      case 'model':
        return model;
      case 'stream':
        return stream;
      case 'bytes':
        return BigInt(body.length);
      case 'max_tokens':
        return BigInt(findRequestedMaxOutputTokens(this.#request) ?? 0);
      case 'temperature':
        return this.#number('temperature') ?? 0;
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
        return arrayMember(this.#body(), 'tools').map(toolName);
    }
  }

  #number(name: string): number | null {
    const { body, members } = this.#request;
    const span = members.get(name);
    const value = span && readNumberAt(body, span);
    return value !== undefined && Number.isFinite(value) ? value : null;
  }

  #body(): JsonObject {
    if (this.#parsed) return this.#parsed;
    requireParsableInline(this.#request.body.length, this.#limits);
    const parsed: unknown = JSON.parse(this.#text());
    if (!isJsonObject(parsed)) throw new Error('expected the evaluated body to be an object');
    this.#parsed = parsed;
    return parsed;
  }

  #allMessages(): readonly Message[] {
    this.#messages ??= parseMessages(this.#body());
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

interface Message {
  readonly role: string;
  readonly text: string;
}

const textOf = ({ text }: Message) => text;
const isSystem = ({ role }: Message) => role === 'system' || role === 'developer';

/**
 * Returns the turns of a Chat, Responses, Messages or embeddings body. Instructions are returned as a
 * `system` turn.
 */
function parseMessages(body: JsonObject): Message[] {
  const messages: Message[] = [];
  for (const name of ['instructions', 'system'])
    if (body[name] != null) messages.push({ role: 'system', text: collectText(body[name]) });
  for (const name of ['messages', 'input', 'prompt']) {
    const turns = body[name];
    if (turns == null) continue;
    if (Array.isArray(turns)) for (const turn of turns) messages.push(parseMessage(turn));
    else messages.push(parseMessage(turns));
  }
  return messages;
}

function parseMessage(turn: Json): Message {
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
/** Members that contain text. They are never taken for blobs, so that padding does not hide a text. */
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
 * Returns all texts in a value, one per line, without labels and without blobs such as images and signatures.
 */
function collectText(value: Json | undefined): string {
  const texts: string[] = [];
  addTexts(value, true, texts);
  return texts.join('\n');
}

/** @param isText whether the value belongs to a member that contains text */
function addTexts(value: Json | undefined, isText: boolean, texts: string[]): void {
  if (typeof value === 'string') {
    if (value !== '' && (isText || !isBase64Blob(value))) texts.push(value);
  } else if (Array.isArray(value)) for (const entry of value) addTexts(entry, isText, texts);
  else if (isJsonObject(value))
    for (const [name, entry] of Object.entries(value))
      if (!LABEL_MEMBERS.has(name)) addTexts(entry, TEXT_MEMBERS.has(name), texts);
}

function arrayMember(body: JsonObject, name: string): readonly Json[] {
  const list = body[name];
  return Array.isArray(list) ? list : [];
}

/** Returns the name of a tool, in `function` for Chat; the type of a hosted tool. */
function toolName(tool: Json): string {
  if (!isJsonObject(tool)) return '';
  const { function: inner, name, type } = tool;
  const given = isJsonObject(inner) ? inner['name'] : (name ?? type);
  return typeof given === 'string' ? given : '';
}

/** Converts JSON to a value for conditions. */
function toVariable(value: Json | undefined): ConditionValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toVariable);
  if (isJsonObject(value))
    return new Map(Object.entries(value).map(([name, entry]) => [name, toVariable(entry)]));
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}
