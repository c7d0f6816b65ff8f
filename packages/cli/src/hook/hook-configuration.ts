import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import type { AgentHookDefinition } from './agent-hook-definitions.ts';

/** Matches the hook commands of Floe and no others. */
const FLOE_COMMAND_PATTERN = /(?:^|[\s/\\"'])floe-hook(?:\.mjs)?["']?\s+[a-z-]+\s*$/;

/**
 * Returns the settings of an agent with each Floe hook exactly once. All other settings are kept. If `command`
 * is null, the result contains no Floe hooks.
 * @param command The shell command that the hooks run.
 */
export function replaceFloeHooks(
  file: JsonObject,
  agent: AgentHookDefinition,
  command: string | null,
): JsonObject {
  const before = isJsonObject(file['hooks']) ? file['hooks'] : {};
  const hooks: Record<string, Json> = {};
  for (const [name, entries] of Object.entries(before)) {
    if (!Array.isArray(entries)) {
      if (entries !== undefined) hooks[name] = entries;
      continue;
    }
    const remaining = entries.flatMap((entry) => withoutFloeHooks(entry) ?? []);
    if (remaining.length > 0 || entries.length === 0) hooks[name] = remaining;
  }
  if (command !== null)
    for (const [name, matcher] of Object.entries(agent.hooks)) {
      const existing = hooks[name];
      hooks[name] = [...(Array.isArray(existing) ? existing : []), createHookEntry(agent, matcher, command)];
    }
  const { hooks: _before, ...rest } = file;
  if (command === null && Object.keys(hooks).length === 0) return rest;
  return { ...(command === null ? {} : agent.rootMembers), ...rest, hooks };
}

/**
 * Returns the name of the first hook setting that has the wrong type, such as `hooks.PreToolUse`. Returns null
 * if there is none. `replaceFloeHooks` would delete such a setting.
 */
export function findMalformedHookSetting({ hooks }: JsonObject, agent: AgentHookDefinition): string | null {
  if (hooks === undefined) return null;
  if (!isJsonObject(hooks)) return 'hooks';
  const event = Object.keys(agent.hooks).find(
    (name) => Object.hasOwn(hooks, name) && !Array.isArray(hooks[name]),
  );
  return event === undefined ? null : `hooks.${event}`;
}

/** A Floe hook in the settings of an agent. */
export interface InstalledHook {
  /** The agent's name of the event. */
  readonly event: string;
  /** Index of its group (or of itself, in a flat file) in the event, and its index in the group. */
  readonly groupIndex: number;
  readonly handlerIndex: number;
  readonly matcher: Json;
  readonly entry: JsonObject;
}

/** Returns the Floe hooks in the settings of an agent, for the events that Floe supports. */
export function findInstalledHooks(file: JsonObject, agent: AgentHookDefinition): readonly InstalledHook[] {
  const hooks = isJsonObject(file['hooks']) ? file['hooks'] : {};
  return Object.keys(agent.hooks).flatMap((event) => {
    const groups = hooks[event];
    if (!Array.isArray(groups)) return [];
    return groups.flatMap((given, group) => {
      if (!isJsonObject(given)) return [];
      const entries: readonly Json[] = Array.isArray(given['hooks']) ? given['hooks'] : [given];
      return entries.flatMap((entry, handler) =>
        isJsonObject(entry) && isFloeHook(entry)
          ? [{ event, groupIndex: group, handlerIndex: handler, matcher: given['matcher'] ?? null, entry }]
          : [],
      );
    });
  });
}

/** Returns how many hooks Floe needs in the settings of an agent, and how many of them exist. */
export function countRequiredAndInstalledHooks(
  file: JsonObject,
  agent: AgentHookDefinition,
): { readonly found: number; readonly wanted: number } {
  const found = new Set(findInstalledHooks(file, agent).map(({ event }) => event));
  return { found: found.size, wanted: Object.keys(agent.hooks).length };
}

function createHookEntry(
  { layout, createEntry }: AgentHookDefinition,
  matcher: string | null,
  command: string,
): JsonObject {
  if (layout === 'flat') return createEntry(command);
  return { ...(matcher !== null && { matcher }), hooks: [createEntry(command)] };
}

/**
 * Removes the hooks of Floe from an entry. Returns the same entry if it has none, and null if nothing else is
 * left.
 */
function withoutFloeHooks(entry: Json): Json {
  if (!isJsonObject(entry)) return entry;
  if (isFloeHook(entry)) return null;
  const { hooks } = entry;
  if (!Array.isArray(hooks)) return entry;
  const remaining = hooks.filter((hook) => !isJsonObject(hook) || !isFloeHook(hook));
  if (remaining.length === hooks.length) return entry;
  return remaining.length === 0 ? null : { ...entry, hooks: remaining };
}

function isFloeHook(entry: JsonObject): boolean {
  return ['command', 'bash', 'powershell'].some((name) => {
    const command = entry[name];
    return typeof command === 'string' && FLOE_COMMAND_PATTERN.test(command);
  });
}
