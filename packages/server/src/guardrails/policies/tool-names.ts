import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { foldMemberName } from '@floe/wire/inspected-members';

/** The types of tools that the caller runs, and of groups of such tools. Tools of all other types are hosted tools. */
const OWN_TOOL_TYPES: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace']);

/**
 * Returns the names of all tools that the model may call: those of the prompt and those that its turns add.
 * For a namespace or an MCP server, the list contains its name and the names of the tools that it contains. A
 * hosted tool is listed by its type, and also by its name if it has one.
 * Some providers ignore the case of member names, so members are read in all spellings, and lists at all depths.
 */
export function listToolNames(prompt: JsonObject): string[] {
  const turns = ['messages', 'input'].flatMap((name) => valuesOf(prompt, name)).filter(isJsonObject);
  const lists = ['tools', 'functions'].flatMap((name) => valuesOf(prompt, name));
  return [
    ...[...lists, ...turns.flatMap((turn) => valuesOf(turn, 'tools'))].flatMap(namesOfTool),
    ...turns.flatMap((turn) => valuesOf(turn, 'content')).flatMap(namesOfAddedTool),
    // Messages declares MCP servers, and Chat web search, outside of `tools`.
    ...valuesOf(prompt, 'mcp_servers').flatMap(namesOfMcpServer),
    // Any value except null enables web search, also the empty list that some clients send instead of an empty object.
    ...(hasMember(prompt, 'web_search_options') ? ['web_search'] : []),
  ];
}

function hasMember(object: JsonObject, name: string): boolean {
  return Object.entries(object).some(([member, value]) => value !== null && foldMemberName(member) === name);
}

/**
 * Returns the values of a member in all spellings of its name. The elements of lists are returned instead of the lists.
 */
function valuesOf(object: JsonObject, name: string): Json[] {
  const found: Json[] = [];
  for (const [member, value] of Object.entries(object))
    if (foldMemberName(member) === name) addElements(value ?? null, found);
  return found;
}

function addElements(value: Json, found: Json[]): void {
  if (Array.isArray(value)) for (const entry of value) addElements(entry, found);
  else if (value !== null) found.push(value);
}

function stringsOf(object: JsonObject, name: string): string[] {
  return valuesOf(object, name).filter((value) => typeof value === 'string');
}

/** System messages of the Messages API contain blocks that add a tool, by its name or its definition. */
function namesOfAddedTool(block: Json): string[] {
  if (!isJsonObject(block)) return [];
  const types = stringsOf(block, 'type');
  if (types.length > 0 && types.every((type) => type === 'tool_removal')) return [];
  return valuesOf(block, 'tool').filter(isJsonObject).flatMap(namesOfChangedTool);
}

function namesOfChangedTool(tool: JsonObject): string[] {
  const definitions = valuesOf(tool, 'definition');
  if (stringsOf(tool, 'type').includes('tool_reference'))
    return [...stringsOf(tool, 'name'), ...definitions.flatMap(namesOfTool)];
  return (definitions.length > 0 ? definitions : [tool]).flatMap(namesOfTool);
}

function namesOfMcpServer(server: Json): string[] {
  if (!isJsonObject(server)) return namesOfTool(server);
  const settings = valuesOf(server, 'tool_configuration').filter(isJsonObject);
  const allowed = settings.flatMap((each) => stringsOf(each, 'allowed_tools'));
  return [...namesOfTool({ ...server, type: 'mcp' }), ...allowed];
}

function namesOfTool(tool: Json): string[] {
  if (!isJsonObject(tool)) return [typeof tool === 'string' ? tool : ''];
  // In Chat, the name is in a member that is named like the type of the tool.
  const inner = ['function', 'custom'].flatMap((name) => valuesOf(tool, name)).filter(isJsonObject);
  const own = [tool, ...inner].flatMap((each) => stringsOf(each, 'name'));
  const types = stringsOf(tool, 'type');
  const hosted = types.filter((type) => !OWN_TOOL_TYPES.has(type) && !own.includes(type));
  const named = [...own, ...hosted];
  return [
    ...(named.length > 0 ? named : [types[0] ?? '']),
    ...valuesOf(tool, 'allowed_tools').flatMap((allowed) =>
      isJsonObject(allowed) ? stringsOf(allowed, 'tool_names') : typeof allowed === 'string' ? [allowed] : [],
    ),
    // The toolset of an MCP server in Messages has settings for each of its tools.
    ...valuesOf(tool, 'configs').flatMap((configs) => (isJsonObject(configs) ? Object.keys(configs) : [])),
    ...valuesOf(tool, 'tools').flatMap(namesOfTool),
  ];
}
