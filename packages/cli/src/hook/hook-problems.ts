import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import type { AgentHookDefinition } from './agent-hook-definitions.ts';
import { areCodexHooksDisabled, type CodexHookTrust, readCodexHookTrust } from './codex-trust.ts';
import { getHomeDirectoryOrPlaceholder } from './home-directory.ts';
import { findInstalledHooks, type InstalledHook } from './hook-configuration.ts';

/**
 * A settings file of an agent, with the settings files of all its scopes, because a setting in one file can
 * disable the hooks in another.
 */
export interface AgentSettingsFile {
  readonly scope: string;
  readonly path: string;
  readonly file: JsonObject;
  readonly allFiles: readonly { readonly scope: string; readonly file: JsonObject }[];
}

/** Settings by agent that disable hooks. If one of its files has such a value, none of its hooks run. */
const DISABLING_SETTINGS: Readonly<Record<string, readonly (readonly [path: string, value: Json])[]>> = {
  'claude-code': [['disableAllHooks', true]],
  'copilot-cli': [['disableAllHooks', true]],
  vscode: [['disableAllHooks', true]],
  'gemini-cli': [
    ['hooksConfig.enabled', false],
    ['tools.enableHooks', false],
  ],
};

const TRUST_PROBLEMS: Readonly<Record<Exclude<CodexHookTrust, 'trusted'>, string>> = {
  untrusted: 'not trusted. Start codex, open /hooks and trust the hooks',
  changed: 'changed since trust was granted. Start codex, open /hooks and trust the hooks again',
  disabled: 'disabled in config.toml. Start codex, open /hooks and enable the hooks',
};

/**
 * Returns messages that state why an agent does not run its installed hooks: missing programs, settings that
 * disable hooks, or missing trust in Codex. Returns an empty list if no problem was found.
 */
export function findHookProblems(
  agent: AgentHookDefinition,
  settingsFile: AgentSettingsFile,
): readonly string[] {
  const hooks = findInstalledHooks(settingsFile.file, agent);
  return [
    ...findMissingPrograms(hooks),
    ...findDisablingSettings(agent.agent, settingsFile),
    ...findTrustProblems(agent.agent, hooks, settingsFile),
  ];
}

const NOT_ON_PATH =
  'The hooks do not run because floe-hook is not on the PATH of this shell. Add its directory to the PATH.';

/** Finds hook commands whose program no longer exists, because a clone or Node was moved. */
function findMissingPrograms(hooks: readonly InstalledHook[]): string[] {
  const reasons = hooks.flatMap(({ entry }) => {
    const command = String(entry['command'] ?? entry['bash'] ?? '');
    const quoted = [...command.matchAll(/"([^"]+)"/g)].map(([, path = '']) => path);
    if (quoted.length === 0) return isOnPath('floe-hook') ? [] : [NOT_ON_PATH];
    return quoted.flatMap((path) =>
      isAbsolute(path) && !existsSync(path)
        ? `The hooks do not run because ${path} does not exist. Run "floe hook install <agent>" again.`
        : [],
    );
  });
  return [...new Set(reasons)];
}

function isOnPath(program: string): boolean {
  const names = process.platform === 'win32' ? [`${program}.cmd`, `${program}.exe`, program] : [program];
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return directories.some((directory) => names.some((name) => existsSync(join(directory, name))));
}

function findDisablingSettings(agent: string, { scope, allFiles }: AgentSettingsFile): string[] {
  const problems = (DISABLING_SETTINGS[agent] ?? [])
    .filter(([path, value]) => allFiles.some(({ file }) => getValueAtPath(file, path) === value))
    .map(
      ([path, value]) =>
        `The hooks do not run because the settings contain "${path}": ${JSON.stringify(value)}. Remove this setting.`,
    );
  const isManagedOnly = allFiles.some(
    (other) => other.scope === 'managed' && other.file['allowManagedHooksOnly'] === true,
  );
  if (isManagedOnly && scope !== 'managed')
    problems.push(
      'The hooks do not run because the managed settings allow only managed hooks. Install the Floe hooks with --managed.',
    );
  return problems;
}

function getValueAtPath(file: JsonObject, path: string): Json {
  let value: Json = file;
  for (const name of path.split('.')) value = isJsonObject(value) ? (value[name] ?? null) : null;
  return value;
}

function findTrustProblems(
  agent: string,
  hooks: readonly InstalledHook[],
  { scope, path }: AgentSettingsFile,
): string[] {
  if (agent !== 'codex') return [];
  // Trust is stored per user, also for hooks of a project.
  const userDirectory = process.env['CODEX_HOME'] || join(getHomeDirectoryOrPlaceholder(), '.codex');
  const configPath = join(scope === 'user' ? dirname(path) : userDirectory, 'config.toml');
  if (areCodexHooksDisabled(configPath))
    return [
      `The hooks do not run because the section [features] of ${configPath} disables hooks. Remove the line "hooks = false" or "codex_hooks = false".`,
    ];
  const counts = new Map<CodexHookTrust, number>();
  for (const hook of hooks) {
    const trust = readCodexHookTrust(hook, path, configPath);
    counts.set(trust, (counts.get(trust) ?? 0) + 1);
  }
  return (['untrusted', 'changed', 'disabled'] as const).flatMap((trust) => {
    const count = counts.get(trust) ?? 0;
    return count === 0 ? [] : [`Codex does not run ${count} of the hooks. Reason: ${TRUST_PROBLEMS[trust]}.`];
  });
}
