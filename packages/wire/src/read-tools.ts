import type { Json, JsonObject } from '@floe/contract/json';
import { type AskDraft, cacheMark, invalid } from './ask-draft.ts';
import { booleanOf, isObject, listOf, objectOf, says, textOf } from './json-read.ts';
import type { Format, FreeformTool, FunctionTool, Tool, ToolChoice } from './request.ts';

const TOOL = new Set(
  'type function custom name description parameters input_schema schema strict format cache_control tools'.split(
    ' ',
  ),
);
const INNER_TOOL = new Set('name description parameters input_schema schema strict format'.split(' '));
const SCHEMA_FORMAT = new Set('type json_schema name description schema strict'.split(' '));

const EMPTY_SCHEMA: JsonObject = { type: 'object', properties: {} };

/**
 * Tool definitions of any dialect: nested or flat functions, bare
 * `input_schema`, freeform `custom` tools in both envelopes, namespaces. A tool the provider runs itself
 * is a need, or, when `dropHosted`, a reported drop.
 */
export function readTools(
  value: Json | undefined,
  path: string,
  draft: AskDraft,
  dropHosted: boolean,
): Tool[] {
  const seen = new Set<string>();
  return listOf(value)
    .flatMap((entry, index) => {
      const at = `${path}[${index}]`;
      if (!isObject(entry)) throw invalid(`\`${at}\` must be an object.`, at);
      return readTool(entry, at, draft, dropHosted);
    })
    .filter((tool) => {
      const again = seen.has(tool.name);
      if (again) draft.drop(`${path}.${tool.name}`);
      seen.add(tool.name);
      return !again;
    });
}

function readTool(tool: JsonObject, path: string, draft: AskDraft, dropHosted: boolean): Tool[] {
  const type = textOf(tool['type']);
  const inner = objectOf(tool['function']) ?? objectOf(tool['custom']) ?? tool;
  const name = textOf(inner['name']);
  const schema = inner['input_schema'] ?? inner['parameters'] ?? inner['schema'];
  if (type === 'namespace' && name !== undefined && !path.includes('.tools['))
    return readTools(tool['tools'], `${path}.tools`, draft, dropHosted).map((member) => ({
      ...member,
      name: `${name}__${member.name}`,
      ...(member.kind === 'function' ? { within: { namespace: name, name: member.name } } : {}),
    }));
  // `input_schema` decides before the word `custom` does: Messages calls its function tools custom.
  if (name !== undefined && (type === undefined || type === 'function' || type === 'custom')) {
    draft.dropUnknown(tool, TOOL, 'tools.');
    if (inner !== tool) draft.dropUnknown(inner, INNER_TOOL, 'tools.');
  }
  if (name !== undefined && type === 'custom' && !isObject(schema))
    return [{ ...readFreeform(inner, name), cache: cacheMark(tool) }];
  if (name !== undefined && (type === undefined || type === 'function' || type === 'custom'))
    return [readFunction(inner, tool, name, schema)];
  if (name === undefined && (type === undefined || type === 'function'))
    throw invalid(`\`${path}\` has no name.`, path);
  if (dropHosted) draft.drop(`tools.${type}`);
  else draft.need('hosted-tool', path);
  return [];
}

function readFunction(
  inner: JsonObject,
  outer: JsonObject,
  name: string,
  schema: Json | undefined,
): FunctionTool {
  const given = isObject(schema) && says(schema) ? schema : EMPTY_SCHEMA;
  const whole = given['type'] === 'object' && !isObject(given['properties']);
  return {
    kind: 'function',
    name,
    description: textOf(inner['description']),
    schema: whole ? { ...given, properties: {} } : given,
    strict: booleanOf(inner['strict']),
    cache: cacheMark(outer),
  };
}

function readFreeform(inner: JsonObject, name: string): FreeformTool {
  const format = objectOf(inner['format']);
  const grammar = objectOf(format?.['grammar']) ?? format;
  const definition = textOf(grammar?.['definition']);
  return {
    kind: 'freeform',
    name,
    description: textOf(inner['description']),
    grammar:
      definition === undefined ? undefined : { syntax: textOf(grammar?.['syntax']) ?? 'lark', definition },
  };
}

/** `tool_choice` of any dialect; absent without tools. @throws Fault 400 when it names an absent tool. */
export function readToolChoice(value: Json | undefined, tools: readonly Tool[]): ToolChoice | undefined {
  if (tools.length === 0 || !says(value)) return undefined;
  if (typeof value === 'string') return { mode: modeOf(value) };
  const choice = objectOf(value) ?? {};
  const type = textOf(choice['type']) ?? '';
  if (type === 'allowed_tools') {
    const allowed = objectOf(choice['allowed_tools']) ?? choice;
    const names = listOf(allowed['tools']).flatMap((entry) => nameIn(objectOf(entry) ?? {}) ?? []);
    return { mode: modeOf(textOf(allowed['mode']) ?? 'auto'), allowed: names };
  }
  const name = nameIn(choice);
  if (name === undefined) return { mode: modeOf(type) };
  if (!tools.some((tool) => tool.name === name))
    throw invalid(`\`tool_choice\` names the tool "${name}", which is not in \`tools\`.`, 'tool_choice');
  return { mode: 'named', name };
}

function nameIn(choice: JsonObject): string | undefined {
  return textOf((objectOf(choice['function']) ?? objectOf(choice['custom']) ?? choice)['name']);
}

function modeOf(word: string): 'auto' | 'none' | 'required' {
  if (word === 'any' || word === 'required') return 'required';
  if (word === 'none' || word === 'auto') return word;
  throw invalid(`\`tool_choice\` of the form "${word}" is not known.`, 'tool_choice');
}

/** `response_format`, `text.format` or `output_config.format`: nested or flat JSON Schema. */
export function readFormat(value: Json | undefined, path: string, draft: AskDraft): Format | undefined {
  const format = objectOf(value);
  const type = textOf(format?.['type']);
  if (format === undefined || type === undefined || type === 'text') return undefined;
  if (type === 'json_object') {
    draft.need('json', path);
    return { type: 'json' };
  }
  const inner = objectOf(format['json_schema']) ?? format;
  draft.dropUnknown(format, SCHEMA_FORMAT, `${path}.`);
  const schema = objectOf(inner['schema']);
  if (type !== 'json_schema' || schema === undefined)
    throw invalid(`\`${path}\` must be text, json_object or json_schema with a schema.`, path);
  draft.need('schema', path);
  return {
    type: 'schema',
    name: textOf(inner['name']),
    description: textOf(inner['description']),
    schema,
    strict: booleanOf(inner['strict']),
  };
}
