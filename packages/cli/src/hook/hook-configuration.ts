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

/** How many of the hooks that are wanted call us. */
export function countHooks(
  file: JsonObject,
  agent: AgentFile,
): { readonly found: number; readonly wanted: number } {
  const hooks = isObject(file['hooks']) ? file['hooks'] : {};
  const names = Object.keys(agent.hooks);
  const found = names.filter((name) => {
    const entries = hooks[name];
    return Array.isArray(entries) && entries.some((entry) => withoutOurs(entry) !== entry);
  });
  return { found: found.length, wanted: names.length };
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
