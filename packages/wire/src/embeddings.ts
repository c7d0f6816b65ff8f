import { Buffer } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { ExactNumber, isJsonObject, type Json, type JsonNumber, type JsonObject } from '@floe/contract/json';
import { findUsage } from './find-usage.ts';
import { readGeminiUsage } from './gemini/usage.ts';
import { sanitizeFieldName } from './json-narrowing.ts';
import type { Usage } from './usage.ts';

/** The request formats for embeddings that providers use. */
export type EmbeddingsFormat = 'openai' | 'gemini' | 'embed';

/** A feature of the OpenAI embeddings API that a compatible provider may not support. */
export type UnsupportedEmbeddingsFeature = 'tokens' | 'base64' | 'dimensions' | 'user';

/**
 * The embeddings request format that a provider uses, and the features of the OpenAI format that the provider
 * does not support.
 */
export interface EmbeddingsSupport {
  readonly dialect: EmbeddingsFormat;
  /** Features of the OpenAI format that the provider does not support. */
  readonly unsupported?: readonly UnsupportedEmbeddingsFeature[];
}

/** A parsed embeddings request. */
export interface EmbeddingsRequest {
  /** Strings, or lists of token ids. */
  readonly input: readonly string[] | readonly (readonly number[])[];
  readonly dimensions: number | null;
  readonly encoding: 'float' | 'base64';
  /** The purpose of the vectors, in the terms of providers that require it. */
  readonly inputType: string | null;
  readonly hasUser: boolean;
}

/** An embeddings request in a provider's format. */
export interface ProviderEmbeddingsRequest {
  readonly body: JsonObject;
  /** Paths of hints that were dropped. */
  readonly dropped: readonly string[];
}

/** Embedding vectors in the order of the input, and the usage. */
export interface EmbeddingsResponse {
  readonly vectors: readonly (readonly JsonNumber[] | string)[];
  readonly usage: Usage | undefined;
}

/** Fields of the OpenAI format that every format can express. */
const COMMON_FIELDS = ['model', 'input', 'dimensions', 'encoding_format'];

/** Maximum number of strings per request to a provider with the `embed` format. */
const MAX_EMBED_TEXTS = 96;

/**
 * Reads the body of `POST /embeddings`.
 * @throws Fault `missing_required_parameter` or `invalid_request`, with `param`
 * @example
 * readEmbeddingsRequest({ model: 'm', input: 'hello' }).input; // ['hello']
 */
export function readEmbeddingsRequest(body: JsonObject): EmbeddingsRequest {
  const { dimensions, encoding_format: encoding, input_type: inputType } = body;
  if (dimensions !== undefined && dimensions !== null && !isCount(dimensions))
    throw embeddingsFieldFault('dimensions', 'a positive integer');
  if (encoding !== undefined && encoding !== null && encoding !== 'float' && encoding !== 'base64')
    throw embeddingsFieldFault('encoding_format', '"float" or "base64"');
  return {
    input: readInput(body['input']),
    dimensions: isCount(dimensions) ? dimensions : null,
    encoding: encoding === 'base64' ? 'base64' : 'float',
    inputType: typeof inputType === 'string' ? inputType : null,
    hasUser: typeof body['user'] === 'string',
  };
}

function readInput(input: Json | undefined): EmbeddingsRequest['input'] {
  if (input === undefined)
    throw new Fault('missing_required_parameter', 'Missing required parameter: "input".', { param: 'input' });
  if (typeof input === 'string' && input !== '') return [input];
  if (Array.isArray(input) && input.length > 0) {
    if (isTokenList(input)) return [input];
    if (input.every((entry) => typeof entry === 'string' && entry !== ''))
      return input.filter((entry) => typeof entry === 'string');
    if (input.every(isTokenList)) return input.filter(isTokenList);
  }
  throw embeddingsFieldFault(
    'input',
    'a non-empty string, an array of non-empty strings, an array of token ids, or an array of arrays of token ids',
  );
}

/**
 * Writes an embeddings request in a provider's format.
 * @throws Fault `unsupported_parameter` for a field that changes the response and that the provider does not
 * support
 * @example
 * const body = { model: 'm', input: ['hello'], dimensions: 256 };
 * const provider = { dialect: 'gemini' };
 * const written = writeEmbeddingsRequest(readEmbeddingsRequest(body), provider, 'gemini-embedding-001', body);
 * written.body.requests[0].outputDimensionality; // 256
 */
export function writeEmbeddingsRequest(
  request: EmbeddingsRequest,
  { dialect, unsupported = [] }: EmbeddingsSupport,
  model: string,
  body: JsonObject,
): ProviderEmbeddingsRequest {
  if (dialect === 'openai') return writeOpenai(request, model, body, unsupported);
  const texts = requireTexts(request);
  const known = dialect === 'embed' ? [...COMMON_FIELDS, 'input_type'] : COMMON_FIELDS;
  const lost = Object.keys(body).filter((name) => !known.includes(name) && (body[name] ?? null) !== null);
  return {
    body: dialect === 'gemini' ? geminiBody(request, texts, model) : embedBody(request, texts, model),
    dropped: lost.map(sanitizeFieldName),
  };
}

function writeOpenai(
  request: EmbeddingsRequest,
  model: string,
  body: JsonObject,
  lacks: readonly UnsupportedEmbeddingsFeature[],
): ProviderEmbeddingsRequest {
  if (lacks.includes('tokens')) requireTexts(request);
  if (lacks.includes('dimensions') && request.dimensions !== null)
    throw new Fault(
      'unsupported_parameter',
      'The provider of this model does not support "dimensions". Omit it, or use another model.',
      {
        param: 'dimensions',
      },
    );
  const { user, encoding_format, ...rest } = body;
  const keepsUser = user !== undefined && !lacks.includes('user');
  const keepsEncoding = encoding_format !== undefined && !lacks.includes('base64');
  return {
    body: { ...rest, model, ...(keepsUser && { user }), ...(keepsEncoding && { encoding_format }) },
    dropped: request.hasUser && !keepsUser ? ['user'] : [],
  };
}

function geminiBody({ dimensions }: EmbeddingsRequest, texts: readonly string[], model: string): JsonObject {
  return {
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      ...(dimensions !== null && { outputDimensionality: dimensions }),
    })),
  };
}

function embedBody(request: EmbeddingsRequest, texts: readonly string[], model: string): JsonObject {
  if (texts.length > MAX_EMBED_TEXTS)
    throw new Fault(
      'unsupported_parameter',
      `The provider of this model supports at most ${MAX_EMBED_TEXTS} inputs per request. Split the request.`,
      {
        param: 'input',
      },
    );
  return {
    model,
    texts: [...texts],
    input_type: request.inputType ?? 'search_document',
    embedding_types: ['float'],
    ...(request.dimensions !== null && { output_dimension: request.dimensions }),
  };
}

/** Token ids are meaningful only to the tokenizer that created them. */
function requireTexts({ input }: EmbeddingsRequest): readonly string[] {
  const texts = input.filter((entry) => typeof entry === 'string');
  if (texts.length === input.length) return texts;
  throw new Fault(
    'unsupported_parameter',
    'The provider of this model does not support token ids. Send text instead.',
    {
      param: 'input',
    },
  );
}

/**
 * Reads a provider's embeddings response.
 * @throws Fault `upstream_error` if the number of vectors is not `count`
 * @example
 * const answer = { data: [{ index: 0, embedding: [0.5, 1] }] };
 * readEmbeddingsResponse('openai', answer, 1).vectors; // [[0.5, 1]]
 */
export function readEmbeddingsResponse(
  from: EmbeddingsFormat,
  answer: Json,
  count: number,
): EmbeddingsResponse {
  const found = isJsonObject(answer) ? findVectors(from, answer) : [];
  const vectors = found.filter((vector) => typeof vector === 'string' || isNumberList(vector));
  if (vectors.length !== count || found.length !== count) throw createVectorCountFault(vectors.length, count);
  return { vectors, usage: isJsonObject(answer) ? findEmbeddingsUsage(answer) : undefined };
}

function findEmbeddingsUsage({ usageMetadata, ...answer }: JsonObject): Usage | undefined {
  return isJsonObject(usageMetadata) ? readGeminiUsage(usageMetadata) : findUsage(answer);
}

function findVectors(from: EmbeddingsFormat, answer: JsonObject): readonly (Json | undefined)[] {
  if (from === 'openai') return sortByIndex(answer['data']);
  const { embeddings } = answer;
  if (from === 'embed') return listOf(isJsonObject(embeddings) ? embeddings['float'] : undefined);
  return listOf(embeddings).map((entry) => (isJsonObject(entry) ? entry['values'] : undefined));
}

/**
 * Returns the fault for a response with a different number of vectors than the request has inputs.
 * @example
 * createVectorCountFault(3, 4).code; // 'upstream_error'
 */
export function createVectorCountFault(
  vectors: number,
  inputs: number,
  detail?: ConstructorParameters<typeof Fault>[2],
): Fault {
  const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  return new Fault(
    'upstream_error',
    `The provider returned ${plural(vectors, 'vector')} for ${plural(inputs, 'input')}, so Floe cannot match them. Send the request again, or use another model.`,
    detail,
  );
}

/** `index` identifies the input of a vector. Most providers send vectors in order. */
function sortByIndex(data: Json | undefined): readonly (Json | undefined)[] {
  const entries = listOf(data).filter(isJsonObject);
  const at = (entry: JsonObject, position: number) =>
    typeof entry['index'] === 'number' ? entry['index'] : position;
  return entries
    .map((entry, position) => ({ vector: entry['embedding'], index: at(entry, position) }))
    .sort((one, other) => one.index - other.index)
    .map(({ vector }) => vector);
}

/**
 * Writes an embeddings response in the OpenAI format, with vectors in the requested encoding.
 * @example
 * const answer = { vectors: [[0.5, 1]], usage: { units: { input: 2 } } };
 * writeEmbeddingsResponse(answer, 'base64', 'm').data[0].embedding; // 'AAAAPwAAgD8='
 */
export function writeEmbeddingsResponse(
  { vectors, usage }: EmbeddingsResponse,
  encoding: EmbeddingsRequest['encoding'],
  model: string,
): JsonObject {
  const tokens = usage?.units.input ?? 0;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'base64' ? encodeBase64(vector) : decodeFloats(vector),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Little-endian 32-bit floats, as the official clients decode them. */
function encodeBase64(vector: readonly JsonNumber[] | string): string {
  if (typeof vector === 'string') return vector;
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (const [at, value] of vector.entries())
    bytes.writeFloatLE(typeof value === 'number' ? value : value.approximate, at * 4);
  return bytes.toString('base64');
}

function decodeFloats(vector: readonly JsonNumber[] | string): readonly JsonNumber[] {
  if (typeof vector !== 'string') return vector;
  const bytes = Buffer.from(vector, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

function isTokenList(value: Json): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);
}

function isNumberList(value: Json | undefined): value is JsonNumber[] {
  return (
    Array.isArray(value) && value.every((entry) => typeof entry === 'number' || entry instanceof ExactNumber)
  );
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function embeddingsFieldFault(param: string, wanted: string): Fault {
  return new Fault('invalid_request', `The parameter "${param}" must be ${wanted}.`, { param });
}
