import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { isObject, type Json } from '@floe/contract/json';
import type { InstalledHook } from './hook-configuration.ts';

export type CodexTrust = 'trusted' | 'changed' | 'untrusted' | 'disabled';

interface HookState {
  readonly trustedHash: string | null;
  readonly enabled: boolean;
}

/** Codex skips a hook silently unless its user trusted exactly this one (codex-rs/hooks/src/engine/discovery.rs). */
export function codexTrust(hook: InstalledHook, path: string, configPath: string): CodexTrust {
  const states = hookStates(textOf(configPath));
  const place = `${snakeCase(hook.event)}:${hook.group}:${hook.handler}`;
  const state = states.get(`${path}:${place}`) ?? states.get(`${realPath(path)}:${place}`);
  if (state?.enabled === false) return 'disabled';
  if (!state?.trustedHash) return 'untrusted';
  return state.trustedHash === codexHash(hook) ? 'trusted' : 'changed';
}

/** Whether `[features]` switches hooks off. */
export function codexDisablesHooks(configPath: string): boolean {
  const [, features = ''] = /^\[features\]\s*$([^[]*)/m.exec(textOf(configPath)) ?? [];
  return /^\s*(?:codex_)?hooks\s*=\s*false/m.test(features);
}

/** What Codex compares: SHA-256 of the hook with its defaults, as JSON with sorted members. */
export function codexHash({ event, matcher, entry }: InstalledHook): string {
  const isMatched = typeof matcher === 'string' && event !== 'UserPromptSubmit';
  const identity = {
    event_name: snakeCase(event),
    ...(isMatched && { matcher }),
    hooks: [{ async: false, ...entry, timeout: entry['timeout'] ?? 600 }],
  };
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted(identity)))
    .digest('hex')}`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name] ?? null)]),
  );
}

/** `[hooks.state."<file>:<event>:<group>:<handler>"]` tables, as Codex writes them. */
function hookStates(toml: string): ReadonlyMap<string, HookState> {
  const states = new Map<string, HookState>();
  const tables = toml.matchAll(/^\[hooks\.state\.("(?:[^"\\\n]|\\.)*"|'[^'\n]*')\]\s*$([^[]*)/gm);
  for (const [, quoted = '', body = ''] of tables)
    states.set(unquoted(quoted), {
      trustedHash: /^\s*trusted_hash\s*=\s*["']([^"'\n]+)["']/m.exec(body)?.[1] ?? null,
      enabled: !/^\s*enabled\s*=\s*false/m.test(body),
    });
  return states;
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

function snakeCase(event: string): string {
  return event.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
