// Validates requests to providers with official specifications, which are next to the project.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { asArray, asObject, asString, isJsonArray, tryParseJson } from '@floe/wire/json-narrowing';
import { findSchemaViolations } from './json-schema.ts';

const FIXTURES =
  process.env['FLOE_FIXTURES'] ?? join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'fixtures');
const SPECS = join(FIXTURES, '..', 'specs');

const hasSpecs = existsSync(SPECS);

/** The dialects of requests to providers. */
export type RequestDialect = 'chat' | 'responses' | 'messages' | 'gemini' | 'converse' | 'cohere';

/** Reads a specification. Returns an empty object if the specifications are not available. */
export function loadSpecification(file: string): JsonObject {
  const value = hasSpecs ? tryParseJson(readFileSync(join(SPECS, file), 'utf8')) : {};
  assert.ok(isJsonObject(value));
  return value;
}

const openai = loadSpecification('openai-openapi.json');
const messages = loadSpecification('anthropic-message-create-params.schema.json');
const gemini = loadSpecification('vertex-aiplatform-v1-generatecontent.discovery-subset.json');
const shapes = asObject(loadSpecification('bedrock-runtime-2023-09-30.service-2.json')['shapes']) ?? {};
const openaiSchema = (name: string): Json | undefined =>
  asObject(asObject(openai['components'])?.['schemas'])?.[name];
const geminiRequest = asObject(gemini['schemas'])?.['GoogleCloudAiplatformV1GenerateContentRequest'];

/** A schema, and the document that its references point into. */
export interface SchemaInDocument {
  readonly schema: Json;
  readonly document: JsonObject;
}

/** The official schemas of the requests that clients send; empty if the specifications are not available. */
export const OFFICIAL_REQUEST_SCHEMAS: Readonly<
  Partial<Record<'chat' | 'responses' | 'messages', SchemaInDocument>>
> = hasSpecs
  ? {
      chat: { schema: openaiSchema('CreateChatCompletionRequest') ?? {}, document: openai },
      responses: { schema: openaiSchema('CreateResponse') ?? {}, document: openai },
      messages: { schema: messages, document: messages },
    }
  : {};

/** Adds ids to reasoning of answers that were not stored. The schema requires ids, and the API does not. */
function withReasoningIds(body: Json): Json {
  if (!isJsonObject(body) || !isJsonArray(body['input'])) return body;
  const input = body['input'].map((item) =>
    isJsonObject(item) && item['type'] === 'reasoning' ? { id: 'rs_1', ...item } : item,
  );
  return { ...body, input };
}

/**
 * Returns descriptions of how a request violates the provider's official specification. Returns an
 * empty list if the request is valid or the specification is not available. Cohere publishes no
 * specification. `optional` lists members that the specification requires but the API does not.
 */
export function findOfficialViolations(
  dialect: RequestDialect,
  body: Json,
  optional: ReadonlySet<string>,
): readonly string[] {
  if (!hasSpecs) return [];
  const relaxed = { optional };
  switch (dialect) {
    case 'chat':
      return findSchemaViolations(body, openaiSchema('CreateChatCompletionRequest'), openai, relaxed);
    case 'responses':
      return findSchemaViolations(withReasoningIds(body), openaiSchema('CreateResponse'), openai, relaxed);
    case 'messages':
      return findSchemaViolations(body, messages, messages, relaxed);
    case 'gemini':
      return findSchemaViolations(body, geminiRequest, gemini, relaxed);
    case 'converse':
      // The `model` of generateContent and Converse is in the URL.
      return findShapeViolations(body, 'ConverseRequest', '$');
    default:
      return [];
  }
}

/** Describes the violations of the shape `name`, with paths. */
function findShapeViolations(value: Json, name: string, path: string): string[] {
  const shape = asObject(shapes[name]);
  assert.ok(shape, name);
  switch (asString(shape['type'])) {
    case 'structure':
      return findStructureViolations(value, shape, path);
    case 'list': {
      const member = asString(asObject(shape['member'])?.['shape']) ?? '';
      if (!isJsonArray(value)) return [`${path} is no list`];
      return value.flatMap((entry, at) => findShapeViolations(entry, member, `${path}[${at}]`));
    }
    case 'string': {
      if (typeof value !== 'string') return [`${path} is no text`];
      const allowed = asArray(shape['enum']);
      const pattern = asString(shape['pattern']);
      const fits =
        pattern === undefined ||
        name === 'DocumentBlockNameString' ||
        new RegExp(`^(?:${pattern})$`, 's').test(value);
      if (allowed.length > 0 && !allowed.includes(value)) return [`${path} is ${value}`];
      const [min, max] = [Number(shape['min'] ?? 0), Number(shape['max'] ?? Number.POSITIVE_INFINITY)];
      return fits && value.length >= min && value.length <= max ? [] : [`${path} has another form: ${value}`];
    }
    case 'integer':
    case 'float':
      return typeof value === 'number' ? [] : [`${path} is no number`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${path} is no boolean`];
    default:
      return [];
  }
}

function findStructureViolations(value: Json, shape: JsonObject, path: string): string[] {
  if (shape['document'] === true) return [];
  if (!isJsonObject(value)) return [`${path} is no object`];
  const members = asObject(shape['members']) ?? {};
  const names = Object.keys(value);
  const found = asArray(shape['required'])
    .filter((name) => typeof name === 'string' && name !== 'modelId' && !names.includes(name))
    .map((name) => `${path}.${name} is missing`);
  if (shape['union'] === true && names.length !== 1) found.push(`${path} is ${names.length} things at once`);
  for (const [name, inner] of Object.entries(value)) {
    const member = asString(asObject(members[name])?.['shape']);
    if (member === undefined) found.push(`${path}.${name} is unknown`);
    else if (inner !== undefined) found.push(...findShapeViolations(inner, member, `${path}.${name}`));
  }
  return found;
}
