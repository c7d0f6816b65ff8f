import { Fault } from '@floe/contract/faults';
import type { Json, JsonNumber, JsonObject } from '@floe/contract/json';
import {
  exactNumberOf,
  isArray,
  isObject,
  numberOf,
  reportName,
  says,
  stringsOf,
  textOf,
} from './json-read.ts';
import type { CacheMark, Effort, Need, Reasoning } from './request.ts';

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

const REASONING = new Set(['effort', 'summary', 'generate_summary', 'enabled', 'max_tokens']);
const OUTPUT_CONFIG = new Set(['effort', 'format']);
const THINKING = new Set(['type', 'budget_tokens']);

/** What a request reader gathers beside the conversation: needs with their field, hints left out. */
export class AskDraft {
  readonly needs = new Map<Need, string>();
  readonly #dropped = new Set<string>();
  readonly #conversation: string;

  /** @param conversation the member the conversation stands in */
  constructor(conversation = 'messages') {
    this.#conversation = conversation;
  }

  need(need: Need, param: string): void {
    if (!this.needs.has(need)) this.needs.set(need, param);
  }

  drop(what: string): void {
    this.#dropped.add(reportName(what));
  }

  /** Every member outside `known` that says something is a hint nobody here understands. */
  dropUnknown(body: JsonObject, known: ReadonlySet<string>, prefix = ''): void {
    for (const key in body) if (!known.has(key) && isSaid(body[key])) this.drop(prefix + key);
  }

  /** A result of a call that is nowhere in the conversation: without it the model would answer something else. */
  orphan(id: string): void {
    // The call may stand in what only a provider keeps: no other target gets this request.
    if (this.needs.has('stored-state')) return;
    throw new Fault(
      'invalid_request',
      `\`${this.#conversation}\` holds the result of a tool call "${id.slice(0, 64)}" that is not in the conversation before it.`,
      { param: this.#conversation },
    );
  }

  get dropped(): readonly string[] {
    return [...this.#dropped];
  }
}

/** `false` is how clients write that they do not want something. */
function isSaid(value: Json | undefined): boolean {
  return value !== false && says(value);
}

export function invalid(message: string, param: string): Fault {
  return new Fault('invalid_request', message, { param });
}

export function missing(param: string): Fault {
  return new Fault('missing_required_parameter', `\`${param}\` is required.`, { param });
}

/** Something is there, and nothing in it can be asked. */
export function empty(param: string): Fault {
  return new Fault('invalid_request', `\`${param}\` has no content.`, { param });
}

/** A number member as it is written; anything else that says something is a 400. */
export function readNumber(body: JsonObject, key: string): JsonNumber | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  const number = exactNumberOf(value);
  if (number !== undefined) return number;
  throw invalid(`\`${key}\` must be a number.`, key);
}

const STREAM_OPTIONS = new Set(['include_usage']);

/** Whether the client wants the usage frame of a Chat stream. */
export function readStreamUsage(body: JsonObject, draft: AskDraft): boolean {
  const options = body['stream_options'];
  if (!isObject(options)) return false;
  draft.dropUnknown(options, STREAM_OPTIONS, 'stream_options.');
  return options['include_usage'] === true;
}

/** The first token limit present, in the order given. */
export function readLimit(body: JsonObject, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const given = readNumber(body, key);
    if (given === undefined) continue;
    const limit = numberOf(given);
    if (limit === undefined || Math.abs(limit) > Number.MAX_SAFE_INTEGER)
      throw invalid(`\`${key}\` is out of range.`, key);
    return limit;
  }
  return undefined;
}

export function readModel(body: JsonObject): string {
  const model = textOf(body['model']);
  if (model === undefined || model === '') throw missing('model');
  return model;
}

export function readStop(value: Json | undefined): readonly string[] {
  return stringsOf(value).filter((stop) => stop !== '');
}

export function effortOf(value: Json | undefined): Effort | undefined {
  if (value === 'ultra') return 'max';
  return EFFORTS.find((effort) => effort === value);
}

/**
 * How the caller asks for reasoning, in any dialect's words. An explicit effort beats a thinking block,
 * whose budget it may still carry.
 */
export function readReasoning(body: JsonObject, draft: AskDraft): Reasoning | undefined {
  const object = isObject(body['reasoning']) ? body['reasoning'] : {};
  const config = isObject(body['output_config']) ? body['output_config'] : {};
  const thinking = isObject(body['thinking']) ? body['thinking'] : {};
  draft.dropUnknown(object, REASONING, 'reasoning.');
  draft.dropUnknown(config, OUTPUT_CONFIG, 'output_config.');
  draft.dropUnknown(thinking, THINKING, 'thinking.');
  const effort =
    effortOf(object['effort']) ?? effortOf(body['reasoning_effort']) ?? effortOf(config['effort']);
  const off = thinking['type'] === 'disabled' || object['enabled'] === false;
  const budget = numberOf(thinking['budget_tokens']) ?? numberOf(object['max_tokens']);
  const reasoning: Reasoning = {
    effort: effort ?? (off ? 'none' : undefined),
    budget,
    adaptive: thinking['type'] === 'adaptive' ? true : undefined,
    summary: textOf(object['summary']) ?? textOf(object['generate_summary']),
  };
  return Object.values(reasoning).some((value) => value !== undefined) ? reasoning : undefined;
}

/** `metadata` as string pairs; the Messages form `{user_id}` is the end user, not metadata. */
export function readMetadata(
  value: Json | undefined,
  draft: AskDraft,
): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined;
  const pairs: [string, string][] = [];
  for (const [key, entry] of Object.entries(value))
    if (typeof entry === 'string') pairs.push([key, entry]);
    else if (says(entry)) draft.drop(`metadata.${key}`);
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

export function cacheMark(value: JsonObject): CacheMark | undefined {
  const control = value['cache_control'];
  if (!isObject(control)) return undefined;
  return control['ttl'] === '5m' || control['ttl'] === '1h' ? control['ttl'] : '';
}

/** Features that no translation carries, named by their field. */
export function needSpecials(body: JsonObject, draft: AskDraft): void {
  if ((numberOf(body['n']) ?? 1) > 1) draft.need('choices', 'n');
  if (body['logprobs'] === true) draft.need('logprobs', 'logprobs');
  if ((numberOf(body['top_logprobs']) ?? 0) > 0) draft.need('logprobs', 'top_logprobs');
  if (isArray(body['modalities']) && body['modalities'].some((entry) => entry !== 'text'))
    draft.need('audio-out', 'modalities');
  if (body['background'] === true) draft.need('background', 'background');
  for (const key of ['previous_response_id', 'conversation', 'prompt'])
    if (says(body[key])) draft.need('stored-state', key);
}
