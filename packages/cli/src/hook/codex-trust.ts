import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { isJsonObject, type Json } from '@floe/contract/json';
import type { InstalledHook } from './hook-configuration.ts';

/**
 * The state of a hook in Codex. Codex runs only hooks in the state `trusted`. `changed`: the hook has changed
 * since the user trusted it. `untrusted`: the user has never trusted it. `disabled`: the user has disabled it.
 */
export type CodexHookTrust = 'trusted' | 'changed' | 'untrusted' | 'disabled';

interface CodexHookState {
  readonly trustedHash: string | null;
  readonly enabled: boolean;
}

/**
 * Reads from the configuration file of Codex whether the user trusts a hook. Codex silently skips a hook unless
 * the user has trusted exactly this version of it (codex-rs/hooks/src/engine/discovery.rs).
 * @param path The file that contains the hook.
 * @param configPath The configuration file of Codex, in which Codex stores the trusted hooks.
 */
export function readCodexHookTrust(hook: InstalledHook, path: string, configPath: string): CodexHookTrust {
  const states = parseHookStates(readTextOrEmpty(configPath));
  const position = `${toSnakeCase(hook.event)}:${hook.groupIndex}:${hook.handlerIndex}`;
  const state = states.get(`${path}:${position}`) ?? states.get(`${resolveRealPath(path)}:${position}`);
  if (state?.enabled === false) return 'disabled';
  if (!state?.trustedHash) return 'untrusted';
  return state.trustedHash === computeCodexHookHash(hook) ? 'trusted' : 'changed';
}

/** Returns whether the section `[features]` of the configuration file of Codex disables hooks. */
export function areCodexHooksDisabled(configPath: string): boolean {
  const [, features = ''] = /^\[features\]\s*$([^[]*)/m.exec(readTextOrEmpty(configPath)) ?? [];
  return /^\s*(?:codex_)?hooks\s*=\s*false/m.test(features);
}

/**
 * Returns the hash by which Codex identifies a version of a hook: the SHA-256 of the hook with all default
 * values, as JSON with sorted keys.
 */
export function computeCodexHookHash({ event, matcher, entry }: InstalledHook): string {
  const isMatched = typeof matcher === 'string' && event !== 'UserPromptSubmit';
  const identity = {
    event_name: toSnakeCase(event),
    ...(isMatched && { matcher }),
    hooks: [{ async: false, ...entry, timeout: entry['timeout'] ?? 600 }],
  };
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(sortMembers(identity)))
    .digest('hex')}`;
}

function sortMembers(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sortMembers(value[name] ?? null)]),
  );
}

/** Parses the tables `[hooks.state."<file>:<event>:<group>:<handler>"]` that Codex writes. */
function parseHookStates(toml: string): ReadonlyMap<string, CodexHookState> {
  const states = new Map<string, CodexHookState>();
  const tables = toml.matchAll(/^\[hooks\.state\.("(?:[^"\\\n]|\\.)*"|'[^'\n]*')\]\s*$([^[]*)/gm);
  for (const [, quoted = '', body = ''] of tables)
    states.set(unquote(quoted), {
      trustedHash: /^\s*trusted_hash\s*=\s*["']([^"'\n]+)["']/m.exec(body)?.[1] ?? null,
      enabled: !/^\s*enabled\s*=\s*false/m.test(body),
    });
  return states;
}

function unquote(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

function toSnakeCase(event: string): string {
  return event.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

function resolveRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function readTextOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
