import { Fault } from '@floe/contract/faults';
import type { Json, JsonNumber, JsonObject } from '@floe/contract/json';
import {
  asExactNumber,
  asNumber,
  asString,
  asStrings,
  isJsonArray,
  isJsonObject,
  isNonEmpty,
  sanitizeFieldName,
} from './json-narrowing.ts';
import type { CacheBreakpoint, RequiredFeature } from './request.ts';
import { isSameJson } from './same-json.ts';

/** A request may contain any number of unknown members. */
const MAX_DROPPED_FIELDS = 100;
/** OpenAI accepts 16 pairs. */
const MAX_METADATA_MEMBERS = 1_000;

const CACHE_CONTROL_FIELDS = new Set(['type', 'ttl']);

/**
 * Collects what a request reader finds in addition to the conversation: required features with the
 * fields that need them, and dropped fields.
 */
export class RequestReadContext {
  readonly requiredFeatures = new Map<RequiredFeature, string>();
  readonly #dropped = new Set<string>();
  readonly #conversation: string;

  /** @param conversation the member that contains the conversation */
  constructor(conversation = 'messages') {
    this.#conversation = conversation;
  }

  requireFeature(need: RequiredFeature, param: string): void {
    if (!this.requiredFeatures.has(need)) this.requiredFeatures.set(need, param);
  }

  /** Reports a dropped field. Ignores further fields after `MAX_DROPPED_FIELDS`, because fewer of them are shown. */
  reportDropped(what: string): void {
    if (this.#dropped.size < MAX_DROPPED_FIELDS) this.#dropped.add(sanitizeFieldName(what));
  }

  /** Reports every non-empty member outside `known` as dropped. */
  reportUnknownFields(body: JsonObject, known: ReadonlySet<string>, prefix = ''): void {
    for (const key in body) if (!known.has(key) && isRequested(body[key])) this.reportDropped(prefix + key);
  }

  /**
   * Returns the first value that `read` accepts, of several members with the same meaning. Reports the other members as
   * dropped, unless they have the same value.
   */
  readFirst<Value>(
    object: JsonObject,
    names: readonly string[],
    read: (value: Json | undefined) => Value | undefined,
    prefix = '',
  ): Value | undefined {
    const used = names.find((name) => read(object[name]) !== undefined);
    if (used === undefined) return undefined;
    this.reportUnusedMembers(object, used, names, prefix);
    return read(object[used]);
  }

  /** Reports members that have the same meaning as the used member but a different value. */
  reportUnusedMembers(object: JsonObject, used: string, names: readonly string[], prefix = ''): void {
    for (const name of names)
      if (name !== used && isRequested(object[name]) && !isSameJson(object[name], object[used]))
        this.reportDropped(prefix + name);
  }

  /** Reports members of an outer object that differ from the members of the inner object, which Floe reads instead. */
  reportOuterMembers(outer: JsonObject, inner: JsonObject, names: Iterable<string>, prefix = ''): void {
    if (outer === inner) return;
    for (const name of names)
      if (isRequested(outer[name]) && !isSameJson(outer[name], inner[name]))
        this.reportDropped(prefix + name);
  }

  /** Requires a target that accepts images, files and audio in the messages of the assistant. */
  requireAssistantMedia(): void {
    this.requireFeature('assistant-media', this.#conversation);
  }

  /**
   * Handles a result whose call is not in the conversation. Without the result, the model would give a
   * different response.
   */
  handleOrphanResult(id: string): void {
    // The provider may store the call, or know its type, so the request goes to that provider only.
    if (this.requiredFeatures.has('stored-state') || this.requiredFeatures.has('unknown-content')) return;
    throw new Fault(
      'invalid_request',
      `\`${this.#conversation}\` contains a result for the tool call "${id.slice(0, 64)}", but no earlier message contains this call. Send the message with the call too.`,
      { param: this.#conversation },
    );
  }

  get dropped(): readonly string[] {
    return [...this.#dropped];
  }
}

/** Clients write `false` for a feature that they do not request. */
function isRequested(value: Json | undefined): boolean {
  return value !== false && isNonEmpty(value);
}

/** Returns the fault for an invalid field. */
export function createInvalidFieldFault(message: string, param: string): Fault {
  return new Fault('invalid_request', message, { param });
}

/** Returns the fault for a missing field. */
export function createMissingFieldFault(param: string): Fault {
  return new Fault('missing_required_parameter', `\`${param}\` is required.`, { param });
}

/** Returns the fault for a field without any usable content. */
export function createEmptyFieldFault(param: string): Fault {
  return new Fault('invalid_request', `\`${param}\` must not be empty.`, { param });
}

/**
 * Reads a number in its original notation, such as `1.50`. Returns undefined if the field is missing or null.
 * @throws Fault 400 for any other value
 */
export function readNumberField(body: JsonObject, key: string): JsonNumber | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  const number = asExactNumber(value);
  if (number !== undefined) return number;
  throw createInvalidFieldFault(`\`${key}\` must be a number.`, key);
}

const STREAM_OPTION_FIELDS = new Set(['include_usage']);

/** Returns whether the client requests the usage frame in a Chat stream. */
export function readIncludeUsage(body: JsonObject, draft: RequestReadContext): boolean {
  const options = body['stream_options'];
  if (!isJsonObject(options)) return false;
  draft.reportUnknownFields(options, STREAM_OPTION_FIELDS, 'stream_options.');
  return options['include_usage'] === true;
}

/**
 * Returns the first token limit that is present, in its original notation and in the order of `keys`; undefined if
 * there is none. Reports other limits as dropped.
 */
export function readTokenLimit(
  body: JsonObject,
  keys: readonly string[],
  draft: RequestReadContext,
): JsonNumber | undefined {
  for (const key of keys) {
    const given = readNumberField(body, key);
    if (given === undefined) continue;
    const limit = asNumber(given);
    if (limit === undefined || Math.abs(limit) > Number.MAX_SAFE_INTEGER)
      throw createInvalidFieldFault(
        `\`${key}\` must be at most ${Number.MAX_SAFE_INTEGER.toLocaleString('en-US')}.`,
        key,
      );
    draft.reportUnusedMembers(body, key, keys);
    return given;
  }
  return undefined;
}

/**
 * Reads a request's model id.
 * @throws Fault `missing_required_parameter` if it is missing, empty or not a string
 */
export function readModel(body: JsonObject): string {
  const model = asString(body['model']);
  if (model === undefined || model === '') throw createMissingFieldFault('model');
  return model;
}

/** Reads stop sequences, which are a string or a list. */
export function readStopSequences(value: Json | undefined): readonly string[] {
  return asStrings(value).filter((stop) => stop !== '');
}

/**
 * Reads the string members of `metadata` of a Chat Completions or Responses request. Reports other members as dropped.
 * Messages requests have no such metadata.
 * @throws Fault 400 for more than 1,000 members
 */
export function readMetadata(
  value: Json | undefined,
  draft: RequestReadContext,
): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  let members = 0;
  for (const _ in value)
    if (++members > MAX_METADATA_MEMBERS)
      throw createInvalidFieldFault(
        `\`metadata\` must have at most ${MAX_METADATA_MEMBERS.toLocaleString('en-US')} members.`,
        'metadata',
      );
  const pairs: [string, string][] = [];
  for (const [key, entry] of Object.entries(value))
    if (typeof entry === 'string') pairs.push([key, entry]);
    else if (isNonEmpty(entry)) draft.reportDropped(`metadata.${key}`);
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** Reads a part's cache breakpoint; undefined if absent. Without a known `ttl`, the target chooses one. */
export function readCacheBreakpoint(
  value: JsonObject,
  draft: RequestReadContext,
): CacheBreakpoint | undefined {
  const control = value['cache_control'];
  if (!isJsonObject(control)) return undefined;
  draft.reportUnknownFields(control, CACHE_CONTROL_FIELDS, 'cache_control.');
  const { ttl } = control;
  if (ttl === '5m' || ttl === '1h') return ttl;
  if (isNonEmpty(ttl)) draft.reportDropped('cache_control.ttl');
  return '';
}

/** Adds the features that no translation supports, with the fields that need them. */
export function addUntranslatableFeatures(body: JsonObject, draft: RequestReadContext): void {
  if ((asNumber(body['n']) ?? 1) > 1) draft.requireFeature('choices', 'n');
  if (body['logprobs'] === true) draft.requireFeature('logprobs', 'logprobs');
  if ((asNumber(body['top_logprobs']) ?? 0) > 0) draft.requireFeature('logprobs', 'top_logprobs');
  if (isJsonArray(body['modalities']) && body['modalities'].some((entry) => entry !== 'text'))
    draft.requireFeature('audio-out', 'modalities');
  if (body['background'] === true) draft.requireFeature('background', 'background');
  for (const key of ['previous_response_id', 'conversation', 'prompt'])
    if (isNonEmpty(body[key])) draft.requireFeature('stored-state', key);
}
