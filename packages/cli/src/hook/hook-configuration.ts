import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import type { AgentFile } from './agent-files.ts';

/** What every command of ours has in it, and no other. */
const OURS = /(?:^|[\s/\\"'])floe-hook(?:\.mjs)?["']?\s+[a-z-]+\s*$/;

/**
 * The agent's file with our hooks in it, once; everything else stays as it is. Without a command it is the file
 * without them.
 */
export function withHooks(file: JsonObject, agent: AgentFile, command: string | null): JsonObject {
  const before = isObject(file['hooks']) ? file['hooks'] : {};
  const hooks: Record<string, Json> = {};
  for (const [name, entries] of Object.entries(before)) {
    if (!Array.isArray(entries)) {
      if (entries !== undefined) hooks[name] = entries;
      continue;
    }
    const kept = entries.flatMap((entry) => withoutOurs(entry) ?? []);
    if (kept.length > 0 || entries.length === 0) hooks[name] = kept;
  }
  if (command !== null)
    for (const [name, matcher] of Object.entries(agent.hooks)) {
      const there = hooks[name];
      hooks[name] = [...(Array.isArray(there) ? there : []), entryOf(agent, matcher, command)];
    }
  const { hooks: _before, ...rest } = file;
  if (command === null && Object.keys(hooks).length === 0) return rest;
  return { ...(command === null ? {} : agent.root), ...rest, hooks };
}

/** One of our hooks where an agent's file has it. */
export interface InstalledHook {
  /** The agent's name of the event. */
  readonly event: string;
  /** Place of its group (or of itself, in a flat file) in the event, and of itself in the group. */
  readonly group: number;
  readonly handler: number;
  readonly matcher: Json;
  readonly entry: JsonObject;
}

/** Our hooks in an agent's file, for the events that are wanted. */
export function installedHooks(file: JsonObject, agent: AgentFile): readonly InstalledHook[] {
  const hooks = isObject(file['hooks']) ? file['hooks'] : {};
  return Object.keys(agent.hooks).flatMap((event) => {
    const groups = hooks[event];
    if (!Array.isArray(groups)) return [];
    return groups.flatMap((given, group) => {
      if (!isObject(given)) return [];
      const entries: readonly Json[] = Array.isArray(given['hooks']) ? given['hooks'] : [given];
      return entries.flatMap((entry, handler) =>
        isObject(entry) && isOurs(entry)
          ? [{ event, group, handler, matcher: given['matcher'] ?? null, entry }]
          : [],
      );
    });
  });
}

/** How many of the hooks that are wanted call us. */
export function countHooks(
  file: JsonObject,
  agent: AgentFile,
): { readonly found: number; readonly wanted: number } {
  const found = new Set(installedHooks(file, agent).map(({ event }) => event));
  return { found: found.size, wanted: Object.keys(agent.hooks).length };
}

function entryOf({ shape, entry }: AgentFile, matcher: string | null, command: string): JsonObject {
  if (shape === 'flat') return entry(command);
  return { ...(matcher !== null && { matcher }), hooks: [entry(command)] };
}

/** The entry itself when nothing in it is ours; null when nothing else is left. */
function withoutOurs(entry: Json): Json {
  if (!isObject(entry)) return entry;
  if (isOurs(entry)) return null;
  const { hooks } = entry;
  if (!Array.isArray(hooks)) return entry;
  const kept = hooks.filter((hook) => !isObject(hook) || !isOurs(hook));
  if (kept.length === hooks.length) return entry;
  return kept.length === 0 ? null : { ...entry, hooks: kept };
}

function isOurs(entry: JsonObject): boolean {
  return ['command', 'bash', 'powershell'].some((name) => {
    const command = entry[name];
    return typeof command === 'string' && OURS.test(command);
  });
}
