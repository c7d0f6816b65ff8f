import { errorBody } from '@floe/contract/api/errors';
import { SCOPES } from '@floe/contract/scopes';
import * as z from 'zod';
import { rolesFor } from '../management/access.ts';
import { DOWNLOADS } from '../management/download.ts';
import { scopesOf, type Verb } from '../management/verb.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * The OpenAPI 3.1 document of the given verbs, from the schemas they validate with. Schemas with an `id` in
 * their metadata become components.
 */
export function openApiDocument(verbs: readonly Verb[], version: string) {
  const components: Record<string, JsonSchema> = {};
  const error = schemaOf(errorBody, 'output', components);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const verb of verbs) {
    paths[verb.path] ??= {};
    Object.assign(paths[verb.path] ?? {}, {
      [verb.method.toLowerCase()]: operation(verb, error, components),
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Floe',
      version,
      description:
        'Management, monitoring and analytics. Conventions: docs/api.md; error codes: docs/errors.md.',
    },
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `Platform key; scopes: ${SCOPES.join(', ')}.`,
        },
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same platform key.' },
      },
    },
    security: [{ bearer: [] }, { header: [] }],
  };
}

function operation(verb: Verb, error: JsonSchema, components: Record<string, JsonSchema>) {
  return {
    operationId: verb.name,
    summary: verb.summary,
    description: accessText(verb),
    'x-floe-roles': rolesFor(verb),
    tags: [verb.name.slice(0, verb.name.indexOf('.'))],
    parameters: [
      ...parameters(verb.params, 'path', components),
      ...parameters(verb.query, 'query', components),
      ...(verb.idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(verb.body && {
      requestBody: { required: true, content: json(schemaOf(verb.body, 'input', components)) },
    }),
    responses: {
      [verb.status]:
        verb.status === 204
          ? { description: 'Done.' }
          : { description: 'Success.', content: contentOf(verb, components) },
      default: { description: 'Refused or failed; `error.code` says why.', content: json(error) },
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A retry with the same value creates nothing: 409 `conflict` names what the first one made.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function accessText(verb: Verb): string {
  const roles = rolesFor(verb);
  return [
    keyText(verb),
    roles.length === 0 ? 'No member.' : `Members: ${roles.join(', ')}.`,
    ...(verb.stepUp ? ['Members confirm who they are first.'] : []),
  ].join(' ');
}

function keyText(verb: Verb): string {
  if (verb.keys === false) return 'No platform key.';
  const scopes = scopesOf(verb).map((scope) => `\`${scope}\``);
  return scopes.length === 0 ? 'Any valid platform key.' : `Needs the scope ${scopes.join(' or ')}.`;
}

function contentOf(verb: Verb, components: Record<string, JsonSchema>) {
  const types = DOWNLOADS.get(verb.answer);
  if (!types) return json(schemaOf(verb.answer, 'output', components));
  return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));
}

function json(schema: JsonSchema) {
  return { 'application/json': { schema } };
}

function parameters(
  schema: z.ZodObject,
  where: 'path' | 'query',
  components: Record<string, JsonSchema>,
): unknown[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input', components);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: property,
  }));
}

/** Converts one schema; what has an id of its own moves to `components` and leaves a reference. */
function schemaOf(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Record<string, JsonSchema>,
): JsonSchema {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io });
  for (const [id, definition] of Object.entries($defs)) addComponent(components, id, definition);
  if (root.id === undefined) return referToComponents(root);
  addComponent(components, root.id, root);
  return { $ref: `#/components/schemas/${root.id}` };
}

function addComponent(components: Record<string, JsonSchema>, id: string, definition: JsonSchema): void {
  const { id: _, ...schema } = definition;
  const rewritten = referToComponents(schema);
  if (components[id] && JSON.stringify(components[id]) !== JSON.stringify(rewritten))
    throw new Error(`two different schemas are named ${id}`);
  components[id] = rewritten;
}

/** zod refers to `#/$defs/X`; in an OpenAPI document these live under components. */
function referToComponents(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (name, value) =>
    name === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value,
  );
}
