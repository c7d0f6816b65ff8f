import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { findUserDirectory, getHomeDirectoryOrPlaceholder } from './home-directory.ts';
import { readRegularFile, UnreadableFileError } from './regular-file.ts';

/** The connection, the default decision and the time limits of a hook. */
export interface HookSettings {
  /** Without a trailing slash. Null if not configured. */
  readonly baseUrl: string | null;
  readonly key: string | null;
  /** Raw Ed25519 key in base64 that must sign bundles. If null, the key of the first bundle is stored and used. */
  readonly publicKey: string | null;
  /** Whether actions are allowed (`open`) or denied (`closed`) on errors, until a bundle defines it. */
  readonly onError: 'open' | 'closed';
  /** Maximum age of the rules before they are downloaded again. */
  readonly refreshMs: number;
  /** Time limits in milliseconds, by agent (`codex`), by agent and hook (`codex.PreToolUse`), or as `default`. */
  readonly deadlines: JsonObject;
  /** The first problem found in the settings, as a message for the user. Null if there is none. */
  readonly problem: string | null;
}

/** The paths of the settings files and of the bundle cache. */
export interface HookPaths {
  /** File of administrators. Users cannot override its settings. */
  readonly managed: string;
  readonly user: string;
  /** Directory of cached bundles. */
  readonly cache: string;
}

/**
 * The default time limit for the response of the server, in milliseconds. It is below the time after which
 * agents stop a hook, which is 15 seconds or longer, depending on the agent.
 */
export const DEFAULT_HOOK_SERVER_TIMEOUT_MS = 2_500;
/**
 * The maximum time limit. Agents stop a hook after 15 seconds and then perform the action, so the hook must respond
 * earlier, even if the server does not.
 */
const MAX_HOOK_SERVER_TIMEOUT_MS = 12_000;
const DEFAULT_REFRESH_MINUTES = 15;
const DEFAULT_URL = 'http://127.0.0.1:3563';

/** Returns the paths of the settings files and of the bundle cache for this operating system and user. */
export function resolveHookPaths(env: NodeJS.ProcessEnv = process.env): HookPaths {
  const home = getHomeDirectoryOrPlaceholder();
  const config = findUserDirectory(env['XDG_CONFIG_HOME'], '.config') ?? home;
  const cache = findUserDirectory(env['XDG_CACHE_HOME'], '.cache') ?? home;
  return {
    managed:
      process.platform === 'win32'
        ? join(env['ProgramData'] ?? 'C:\\ProgramData', 'Floe', 'relay.json')
        : '/etc/floe/relay.json',
    user: join(config, 'floe', 'relay.json'),
    cache: join(cache, 'floe', 'relay'),
  };
}

/**
 * Returns the settings of the hook. The settings of the machine-wide file override those of the user's file.
 * The environment is used only if the user has no file. Otherwise, a project that sets environment variables
 * for an agent could send the key in the file to another server.
 */
export function readHookSettings(paths: HookPaths, env: NodeJS.ProcessEnv = process.env): HookSettings {
  const problems: string[] = [];
  const managed = readSettingsFile(paths.managed, MANAGED_FILE, problems);
  const user = readSettingsFile(paths.user, USER_FILE, problems);
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
  if (!isKey)
    problems.push('no valid key is configured; set FLOE_RELAY_KEY, then run "floe hook install <agent>"');
  const minutes = given['refresh_minutes'];
  const deadlines = given['deadline_ms'];
  return {
    baseUrl: isAddress ? baseUrl : null,
    key: isKey ? key : null,
    publicKey: text('public_key'),
    onError: given['on_error'] === 'closed' ? 'closed' : 'open',
    refreshMs: (typeof minutes === 'number' && minutes > 0 ? minutes : DEFAULT_REFRESH_MINUTES) * 60_000,
    deadlines: isJsonObject(deadlines) ? deadlines : { default: deadlines },
    problem: problems[0] ?? null,
  };
}

/** Returns the time limit for the response of the server to this hook, in milliseconds: from 50 to 12,000. */
export function resolveHookServerTimeoutMs({ deadlines }: HookSettings, agent: string, hook: string): number {
  for (const name of [`${agent}.${hook}`, agent, 'default']) {
    const given = Object.hasOwn(deadlines, name) ? deadlines[name] : undefined;
    if (typeof given === 'number' && given >= 50) return Math.min(given, MAX_HOOK_SERVER_TIMEOUT_MS);
  }
  return DEFAULT_HOOK_SERVER_TIMEOUT_MS;
}

/** The permissions that a settings file must not have, why, and how to correct them. */
interface SettingsFileRequirements {
  readonly bits: number;
  readonly reason: string;
  readonly correction: string;
}

/** The settings that replace an unusable file. The file may contain this setting, which cannot weaken the hook. */
const UNUSABLE: JsonObject = { on_error: 'closed' };

const USER_FILE: SettingsFileRequirements = {
  bits: 0o077,
  reason: 'can contain a key, but other users have access to it',
  correction: 'chmod 600',
};
/** The group may have write access, because administrators choose the group. */
const MANAGED_FILE: SettingsFileRequirements = {
  bits: 0o002,
  reason: 'is writable by all users',
  correction: 'chmod o-w',
};

/**
 * Null if there is no file. If it has forbidden permissions, only `on_error: closed` applies, because
 * this setting cannot weaken the hook.
 */
function readSettingsFile(
  path: string,
  { bits, reason, correction }: SettingsFileRequirements,
  problems: string[],
): JsonObject | null {
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (error) {
    const readError = describeReadError(error);
    if (readError === 'ENOENT' || readError === 'ENOTDIR') return null;
    problems.push(`${path} cannot be read: ${readError}`);
    return UNUSABLE;
  }
  const settings = parseObject(text);
  if (process.platform !== 'win32' && (statSync(path).mode & bits) !== 0) {
    problems.push(`${path} ${reason}. Run: ${correction} ${path}`);
    return settings === null || settings['on_error'] === 'closed' ? UNUSABLE : {};
  }
  if (settings) return settings;
  problems.push(`${path} must contain a JSON object`);
  return UNUSABLE;
}

function describeReadError(error: unknown): string {
  if (error instanceof UnreadableFileError) return error.message;
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

function parseObject(text: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
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
