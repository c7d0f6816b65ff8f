import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject, type JsonObject } from '@floe/contract/json';

/** What a hook knows of its Floe, and how long it may think. */
export interface HookSettings {
  /** Without a slash at its end; null when nothing names one. */
  readonly baseUrl: string | null;
  readonly key: string | null;
  /** Raw Ed25519 key in base64 that bundles must be signed with; null pins the first one seen. */
  readonly publicKey: string | null;
  /** While there has never been a bundle that says it. */
  readonly onError: 'open' | 'closed';
  /** How old the rules may get before they are fetched again. */
  readonly refreshMs: number;
  /** Milliseconds by agent (`codex`) or by agent and hook (`codex.PreToolUse`). */
  readonly deadlines: JsonObject;
  /** What is wrong with them, for the person; null when nothing is. */
  readonly problem: string | null;
}

export interface HookSettingsPaths {
  /** Written by administrators; what stands here cannot be changed by the user. */
  readonly managed: string;
  readonly user: string;
  /** Where bundles are kept. */
  readonly cache: string;
}

/** How long the server may take, unless the settings say otherwise. Agents end hooks after 15 s or more. */
export const DEFAULT_HOOK_DEADLINE_MS = 2_500;
const DEFAULT_REFRESH_MINUTES = 15;
const DEFAULT_URL = 'http://127.0.0.1:3563';

export function resolveHookSettingsPaths(env: NodeJS.ProcessEnv = process.env): HookSettingsPaths {
  const home = homedir();
  return {
    managed:
      process.platform === 'win32'
        ? join(env['ProgramData'] ?? 'C:\\ProgramData', 'Floe', 'relay.json')
        : '/etc/floe/relay.json',
    user: join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'floe', 'relay.json'),
    cache: join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'floe', 'relay'),
  };
}

/**
 * The settings in force. Address and key come from one place, the file before the environment: a project that sets
 * the environment of an agent must not be able to have the key sent elsewhere.
 */
export function readHookSettings(
  paths: HookSettingsPaths,
  env: NodeJS.ProcessEnv = process.env,
): HookSettings {
  const problems: string[] = [];
  const managed = readSettingsFile(paths.managed, false, problems);
  const user = readSettingsFile(paths.user, true, problems);
  return buildHookSettings({ ...(user ?? readEnvironmentSettings(env)), ...managed }, problems);
}

function buildHookSettings(given: JsonObject, problems: string[]): HookSettings {
  const text = (name: string) => {
    const value = given[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const baseUrl = (text('base_url') ?? DEFAULT_URL).replace(/\/+$/, '');
  const key = text('key');
  const isAddress = /^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl);
  const isKey = key !== null && /^[\x21-\x7e]+$/.test(key);
  if (!isAddress) problems.push('base_url must be an http or https URL. Example: https://floe.example.com');
  if (!isKey) problems.push('no key is configured: run "floe hook install", or set FLOE_RELAY_KEY');
  const minutes = given['refresh_minutes'];
  const deadlines = given['deadline_ms'];
  return {
    baseUrl: isAddress ? baseUrl : null,
    key: isKey ? key : null,
    publicKey: text('public_key'),
    onError: given['on_error'] === 'closed' ? 'closed' : 'open',
    refreshMs: (typeof minutes === 'number' && minutes > 0 ? minutes : DEFAULT_REFRESH_MINUTES) * 60_000,
    deadlines: isObject(deadlines) ? deadlines : { default: deadlines },
    problem: problems[0] ?? null,
  };
}

/** How long the server may take for this hook, in milliseconds: 50 to 60,000. */
export function resolveHookDeadline({ deadlines }: HookSettings, agent: string, hook: string): number {
  for (const name of [`${agent}.${hook}`, agent, 'default']) {
    const given = Object.hasOwn(deadlines, name) ? deadlines[name] : undefined;
    if (typeof given === 'number' && given >= 50) return Math.min(given, 60_000);
  }
  return DEFAULT_HOOK_DEADLINE_MS;
}

/** Null when there is no such file. One that holds a key and that others may read is not used. */
function readSettingsFile(path: string, isPrivate: boolean, problems: string[]): JsonObject | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code !== 'ENOENT')
      problems.push(`${path} cannot be read: ${String(error.code)}`);
    return null;
  }
  if (isPrivate && process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    problems.push(`${path} contains a key and is readable by other users. Run: chmod 600 ${path}`);
    return {};
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // Told below, like every other text that is no object.
  }
  problems.push(`${path} must be a JSON object`);
  return {};
}

function readEnvironmentSettings(env: NodeJS.ProcessEnv): JsonObject {
  return {
    base_url: env['FLOE_BASE_URL'],
    key: env['FLOE_RELAY_KEY'] ?? env['FLOE_API_KEY'],
    on_error: env['FLOE_RELAY_ON_ERROR'],
    ...(env['FLOE_RELAY_DEADLINE_MS'] !== undefined && {
      deadline_ms: Number(env['FLOE_RELAY_DEADLINE_MS']),
    }),
  };
}
