import type { Json, JsonObject } from '@floe/contract/json';
import { asArray, asBoolean, asObject, asString, isJsonObject, isNonEmpty } from './json-narrowing.ts';
import type { FreeformTool, FunctionTool, ResponseFormat, ToolChoice, ToolDefinition } from './request.ts';
import {
  createInvalidFieldFault,
  type RequestReadContext,
  readCacheBreakpoint,
} from './request-read-context.ts';

const TOOL_FIELDS = new Set(
  'type function custom name description parameters input_schema schema strict format cache_control tools'.split(
    ' ',
  ),
);
const INNER_TOOL_FIELDS = new Set('name description parameters input_schema schema strict format'.split(' '));
/** Members with the schema of a tool, in order of precedence. */
const SCHEMA_FIELDS = ['input_schema', 'parameters', 'schema'] as const;
const NAMESPACE_FIELDS = new Set(['type', 'name', 'tools']);
const GRAMMAR_FIELDS = new Set(['type', 'grammar', 'syntax', 'definition']);
const SCHEMA_FORMAT_FIELDS = new Set('type json_schema name description schema strict'.split(' '));
const INNER_SCHEMA_FORMAT_FIELDS = new Set(['name', 'description', 'schema', 'strict']);
const TOOL_CHOICE_FIELDS = new Set(
  'type name function custom allowed_tools mode tools disable_parallel_tool_use'.split(' '),
);

const EMPTY_SCHEMA: JsonObject = { type: 'object', properties: {} };

/**
 * Reads tool definitions from any dialect: nested or flat functions, a bare `input_schema`,
 * freeform `custom` tools in both forms, and namespaces. A hosted tool becomes a required feature.
 * If `dropHosted` is set, a hosted tool is dropped and reported instead. A tool with the name of an earlier tool is
 * also dropped and reported.
 * @throws Fault 400 if an element is not an object
 */
export function readTools(
  value: Json | undefined,
  path: string,
  draft: RequestReadContext,
  dropHosted: boolean,
): ToolDefinition[] {
  const seen = new Set<string>();
  return asArray(value)
    .flatMap((entry, index) => {
      const at = `${path}[${index}]`;
      if (!isJsonObject(entry)) throw createInvalidFieldFault(`\`${at}\` must be an object.`, at);
      return readTool(entry, at, draft, dropHosted);
    })
    .filter((tool) => {
      const again = seen.has(tool.name);
      if (again) draft.reportDropped(`${path}.${tool.name}`);
      seen.add(tool.name);
      return !again;
    });
}

function readTool(
  tool: JsonObject,
  path: string,
  draft: RequestReadContext,
  dropHosted: boolean,
): ToolDefinition[] {
  const type = asString(tool['type']);
  const inner = asObject(tool['function']) ?? asObject(tool['custom']) ?? tool;
  const name = asString(inner['name']);
  const schema = draft.readFirst(inner, SCHEMA_FIELDS, (value) => value ?? undefined, 'tools.');
  draft.reportOuterMembers(tool, inner, INNER_TOOL_FIELDS, 'tools.');
  if (asObject(tool['function']))
    draft.reportUnusedMembers(tool, 'function', ['function', 'custom'], 'tools.');
  if (type === 'namespace' && name !== undefined && !path.includes('.tools[')) {
    draft.reportUnknownFields(tool, NAMESPACE_FIELDS, 'tools.');
    return readTools(tool['tools'], `${path}.tools`, draft, dropHosted).map((member) => ({
      ...member,
      name: `${name}__${member.name}`,
      within: { namespace: name, name: member.name },
    }));
  }
  // `input_schema` takes precedence over the type, because Messages calls function tools `custom`.
  if (name !== undefined && (type === undefined || type === 'function' || type === 'custom')) {
    draft.reportUnknownFields(tool, TOOL_FIELDS, 'tools.');
    if (inner !== tool) draft.reportUnknownFields(inner, INNER_TOOL_FIELDS, 'tools.');
  }
  if (name !== undefined && type === 'custom' && !isJsonObject(schema))
    return [{ ...readFreeform(inner, name, draft), cache: readCacheBreakpoint(tool, draft) }];
  if (name !== undefined && (type === undefined || type === 'function' || type === 'custom'))
    return [{ ...readFunction(inner, name, schema), cache: readCacheBreakpoint(tool, draft) }];
  if (name === undefined && (type === undefined || type === 'function'))
    throw createInvalidFieldFault(`\`${path}\` must have a name.`, path);
  if (dropHosted) draft.reportDropped(`tools.${type}`);
  else draft.requireFeature('hosted-tool', path);
  return [];
}

function readFunction(inner: JsonObject, name: string, schema: Json | undefined): FunctionTool {
  const given = isJsonObject(schema) && isNonEmpty(schema) ? schema : EMPTY_SCHEMA;
  const whole = given['type'] === 'object' && !isJsonObject(given['properties']);
  return {
    kind: 'function',
    name,
    description: asString(inner['description']),
    schema: whole ? { ...given, properties: {} } : given,
    strict: asBoolean(inner['strict']),
  };
}

function readFreeform(inner: JsonObject, name: string, draft: RequestReadContext): FreeformTool {
  const format = asObject(inner['format']);
  const grammar = asObject(format?.['grammar']) ?? format;
  for (const level of new Set([format, grammar]))
    if (level) draft.reportUnknownFields(level, GRAMMAR_FIELDS, 'tools.format.');
  const definition = asString(grammar?.['definition']);
  return {
    kind: 'freeform',
    name,
    description: asString(inner['description']),
    grammar:
      definition === undefined ? undefined : { syntax: asString(grammar?.['syntax']) ?? 'lark', definition },
  };
}

/**
 * Reads `tool_choice` from any dialect; undefined if there are no tools. An allowed tool that is not in `tools`, such as
 * a hosted tool, is dropped and reported.
 * @throws Fault 400 if it names a tool that does not exist, or allows only such tools
 */
export function readToolChoice(
  value: Json | undefined,
  tools: readonly ToolDefinition[],
  draft: RequestReadContext,
): ToolChoice | undefined {
  if (tools.length === 0 || !isNonEmpty(value)) return undefined;
  if (typeof value === 'string') return { mode: parseToolChoiceMode(value) };
  const choice = asObject(value) ?? {};
  const type = asString(choice['type']) ?? '';
  if (type === 'allowed_tools') {
    const allowed = asObject(choice['allowed_tools']) ?? choice;
    for (const level of new Set([choice, allowed]))
      draft.reportUnknownFields(level, TOOL_CHOICE_FIELDS, 'tool_choice.');
    const names = asArray(allowed['tools']).map((entry) => readToolName(asObject(entry) ?? {}, draft));
    const known = names.flatMap((name) => (name !== undefined && hasTool(name, tools) ? [name] : []));
    if (known.length === 0)
      throw createInvalidFieldFault(
        '`tool_choice` must allow at least one of the tools in `tools`.',
        'tool_choice',
      );
    if (known.length < names.length) draft.reportDropped('tool_choice.tools');
    return { mode: parseToolChoiceMode(asString(allowed['mode']) ?? 'auto'), allowed: known };
  }
  const name = readToolName(choice, draft);
  if (name === undefined) return { mode: parseToolChoiceMode(type) };
  if (!hasTool(name, tools))
    throw createInvalidFieldFault(
      `\`tool_choice\` must name a tool of \`tools\`, got "${name}".`,
      'tool_choice',
    );
  return { mode: 'named', name };
}

function hasTool(name: string, tools: readonly ToolDefinition[]): boolean {
  return tools.some((tool) => tool.name === name);
}

function readToolName(choice: JsonObject, draft: RequestReadContext): string | undefined {
  const inner = asObject(choice['function']) ?? asObject(choice['custom']) ?? choice;
  draft.reportOuterMembers(choice, inner, ['name'], 'tool_choice.');
  if (asObject(choice['function']))
    draft.reportUnusedMembers(choice, 'function', ['function', 'custom'], 'tool_choice.');
  for (const level of new Set([choice, inner]))
    draft.reportUnknownFields(level, TOOL_CHOICE_FIELDS, 'tool_choice.');
  return asString(inner['name']);
}

function parseToolChoiceMode(word: string): 'auto' | 'none' | 'required' {
  if (word === 'any' || word === 'required') return 'required';
  if (word === 'none' || word === 'auto') return word;
  throw createInvalidFieldFault(
    `\`tool_choice\` must be auto, none, required or the name of a tool, got "${word}".`,
    'tool_choice',
  );
}

/** Reads `response_format`, `text.format` or `output_config.format`, with a nested or flat JSON Schema. */
export function readResponseFormat(
  value: Json | undefined,
  path: string,
  draft: RequestReadContext,
): ResponseFormat | undefined {
  const format = asObject(value);
  const type = asString(format?.['type']);
  if (format === undefined || type === undefined || type === 'text') return undefined;
  if (type === 'json_object') {
    draft.requireFeature('json', path);
    return { type: 'json' };
  }
  const inner = asObject(format['json_schema']) ?? format;
  draft.reportUnknownFields(format, SCHEMA_FORMAT_FIELDS, `${path}.`);
  draft.reportOuterMembers(format, inner, INNER_SCHEMA_FORMAT_FIELDS, `${path}.`);
  if (inner !== format) draft.reportUnknownFields(inner, INNER_SCHEMA_FORMAT_FIELDS, `${path}.json_schema.`);
  const schema = asObject(inner['schema']);
  if (type !== 'json_schema' || schema === undefined)
    throw createInvalidFieldFault(
      `\`${path}\` must have the type text or json_object, or the type json_schema and a schema.`,
      path,
    );
  draft.requireFeature('schema', path);
  return {
    type: 'schema',
    name: asString(inner['name']),
    description: asString(inner['description']),
    schema,
    strict: asBoolean(inner['strict']),
  };
}
