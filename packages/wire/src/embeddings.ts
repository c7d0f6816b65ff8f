import { Buffer } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { ExactNumber, isObject, type Json, type JsonNumber, type JsonObject } from '@floe/contract/json';
import { usageIn } from './passing-usage.ts';
import type { Usage } from './usage.ts';

/** The languages in which vectors are asked for. */
export type EmbeddingsDialect = 'openai' | 'gemini' | 'embed';

/** What a host that copies the OpenAI shape cannot take. */
export type EmbeddingsLack = 'tokens' | 'base64' | 'dimensions' | 'user';

/** How a provider takes requests for vectors. */
export interface EmbeddingsHost {
  readonly speaks: EmbeddingsDialect;
  /** What of the OpenAI shape it does not take. */
  readonly lacks?: readonly EmbeddingsLack[];
}

/** A request for vectors, read once. */
export interface EmbeddingsAsk {
  /** Texts, or lists of token ids. */
  readonly input: readonly string[] | readonly (readonly number[])[];
  readonly dimensions: number | null;
  readonly encoding: 'float' | 'base64';
  /** What the vectors are for, in the words of the hosts that want to know. */
  readonly inputType: string | null;
  readonly hasUser: boolean;
}

export interface WrittenEmbeddings {
  readonly body: JsonObject;
  /** Hints that could not be carried, by field path. */
  readonly dropped: readonly string[];
}

/** Vectors in the order of the input. */
export interface EmbeddingsAnswer {
  readonly vectors: readonly (readonly JsonNumber[] | string)[];
  readonly usage: Usage | undefined;
}

/** Texts an `embed` host takes at once. */
const EMBED_TEXTS = 96;

/**
 * Reads the body of `POST /embeddings`.
 *
 * @throws Fault `missing_required_parameter`, `invalid_request` naming the field
 * @example
 * readEmbeddingsAsk({ model: 'm', input: 'hello' }).input; // ['hello']
 */
export function readEmbeddingsAsk(body: JsonObject): EmbeddingsAsk {
  const { dimensions, encoding_format: encoding, input_type: inputType } = body;
  if (dimensions !== undefined && dimensions !== null && !isCount(dimensions))
    throw wrong('dimensions', 'a whole number of at least 1');
  if (encoding !== undefined && encoding !== null && encoding !== 'float' && encoding !== 'base64')
    throw wrong('encoding_format', '"float" or "base64"');
  return {
    input: readInput(body['input']),
    dimensions: isCount(dimensions) ? dimensions : null,
    encoding: encoding === 'base64' ? 'base64' : 'float',
    inputType: typeof inputType === 'string' ? inputType : null,
    hasUser: typeof body['user'] === 'string',
  };
}

function readInput(input: Json | undefined): EmbeddingsAsk['input'] {
  if (input === undefined)
    throw new Fault('missing_required_parameter', 'Missing required parameter: "input".', { param: 'input' });
  if (typeof input === 'string' && input !== '') return [input];
  if (Array.isArray(input) && input.length > 0) {
    if (isTokens(input)) return [input];
    if (input.every((entry) => typeof entry === 'string' && entry !== ''))
      return input.filter((entry) => typeof entry === 'string');
    if (input.every(isTokens)) return input.filter(isTokens);
  }
  throw wrong('input', 'a non-empty text, a list of them, or token ids');
}

/**
 * The request in a provider's own words. Throws `unsupported_parameter` for what changes the answer and has none.
 *
 * @example
 * const body = { model: 'm', input: ['hello'], dimensions: 256 };
 * const host = { speaks: 'gemini' };
 * const written = writeEmbeddings(readEmbeddingsAsk(body), host, 'gemini-embedding-001', body);
 * written.body.requests[0].outputDimensionality; // 256
 */
export function writeEmbeddings(
  ask: EmbeddingsAsk,
  { speaks, lacks = [] }: EmbeddingsHost,
  model: string,
  body: JsonObject,
): WrittenEmbeddings {
  if (speaks === 'openai') return writeOpenai(ask, model, body, lacks);
  const texts = textsOf(ask);
  const dropped = ask.hasUser ? ['user'] : [];
  return {
    body: speaks === 'gemini' ? geminiBody(ask, texts, model) : embedBody(ask, texts, model),
    dropped,
  };
}

function writeOpenai(
  ask: EmbeddingsAsk,
  model: string,
  body: JsonObject,
  lacks: readonly EmbeddingsLack[],
): WrittenEmbeddings {
  if (lacks.includes('tokens')) textsOf(ask);
  if (lacks.includes('dimensions') && ask.dimensions !== null)
    throw new Fault('unsupported_parameter', 'This model’s provider takes no "dimensions".', {
      param: 'dimensions',
    });
  const { user, encoding_format, ...rest } = body;
  const keepsUser = user !== undefined && !lacks.includes('user');
  const keepsEncoding = encoding_format !== undefined && !lacks.includes('base64');
  return {
    body: { ...rest, model, ...(keepsUser && { user }), ...(keepsEncoding && { encoding_format }) },
    dropped: ask.hasUser && !keepsUser ? ['user'] : [],
  };
}

function geminiBody({ dimensions }: EmbeddingsAsk, texts: readonly string[], model: string): JsonObject {
  return {
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      ...(dimensions !== null && { outputDimensionality: dimensions }),
    })),
  };
}

function embedBody(ask: EmbeddingsAsk, texts: readonly string[], model: string): JsonObject {
  if (texts.length > EMBED_TEXTS)
    throw new Fault('unsupported_parameter', `This model’s provider takes at most ${EMBED_TEXTS} texts.`, {
      param: 'input',
    });
  return {
    model,
    texts: [...texts],
    input_type: ask.inputType ?? 'search_document',
    embedding_types: ['float'],
    ...(ask.dimensions !== null && { output_dimension: ask.dimensions }),
  };
}

/** Token ids mean something to their own tokenizer only. */
function textsOf({ input }: EmbeddingsAsk): readonly string[] {
  const texts = input.filter((entry) => typeof entry === 'string');
  if (texts.length === input.length) return texts;
  throw new Fault('unsupported_parameter', 'This model’s provider takes texts, no token ids.', {
    param: 'input',
  });
}

/**
 * Reads a provider's answer. Throws `upstream_error` when it holds no vectors.
 *
 * @example
 * const answer = { data: [{ index: 0, embedding: [0.5, 1] }] };
 * readEmbeddings('openai', answer, 1).vectors; // [[0.5, 1]]
 */
export function readEmbeddings(from: EmbeddingsDialect, answer: Json, count: number): EmbeddingsAnswer {
  const found = isObject(answer) ? vectorsIn(from, answer) : [];
  const vectors = found.filter((vector) => typeof vector === 'string' || isNumbers(vector));
  if (vectors.length !== count || found.length !== count)
    throw new Fault('upstream_error', `The provider sent ${vectors.length} vectors for ${count} inputs.`);
  const usage = isObject(answer)
    ? (usageIn(answer) ?? usageIn({ usage: answer['usageMetadata'] }))
    : undefined;
  return { vectors, usage };
}

function vectorsIn(from: EmbeddingsDialect, answer: JsonObject): readonly (Json | undefined)[] {
  if (from === 'openai') return inOrder(answer['data']);
  const { embeddings } = answer;
  if (from === 'embed') return listOf(isObject(embeddings) ? embeddings['float'] : undefined);
  return listOf(embeddings).map((entry) => (isObject(entry) ? entry['values'] : undefined));
}

/** `index` says which input a vector belongs to; most hosts send them in order. */
function inOrder(data: Json | undefined): readonly (Json | undefined)[] {
  const entries = listOf(data).filter(isObject);
  const at = (entry: JsonObject, position: number) =>
    typeof entry['index'] === 'number' ? entry['index'] : position;
  return entries
    .map((entry, position) => ({ vector: entry['embedding'], index: at(entry, position) }))
    .sort((one, other) => one.index - other.index)
    .map(({ vector }) => vector);
}

/**
 * The answer an OpenAI client reads, with vectors in the encoding it asked for.
 *
 * @example
 * const answer = { vectors: [[0.5, 1]], usage: { units: { input: 2 } } };
 * writeEmbeddingsAnswer(answer, 'base64', 'm').data[0].embedding; // 'AAAAPwAAgD8='
 */
export function writeEmbeddingsAnswer(
  { vectors, usage }: EmbeddingsAnswer,
  encoding: EmbeddingsAsk['encoding'],
  model: string,
): JsonObject {
  const tokens = usage?.units.input ?? 0;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'base64' ? packed(vector) : unpacked(vector),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Little-endian 32-bit floats, as the official clients unpack them. */
function packed(vector: readonly JsonNumber[] | string): string {
  if (typeof vector === 'string') return vector;
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (const [at, value] of vector.entries())
    bytes.writeFloatLE(typeof value === 'number' ? value : value.approximate, at * 4);
  return bytes.toString('base64');
}

function unpacked(vector: readonly JsonNumber[] | string): readonly JsonNumber[] {
  if (typeof vector !== 'string') return vector;
  const bytes = Buffer.from(vector, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

function isTokens(value: Json): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);
}

function isNumbers(value: Json | undefined): value is JsonNumber[] {
  return (
    Array.isArray(value) && value.every((entry) => typeof entry === 'number' || entry instanceof ExactNumber)
  );
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function wrong(param: string, wanted: string): Fault {
  return new Fault('invalid_request', `The parameter "${param}" must be ${wanted}.`, { param });
}
