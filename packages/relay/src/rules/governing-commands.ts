import { findPositionalArguments } from '../shell/positional-arguments.ts';
import type { ShellWord } from '../shell/shell-word.ts';

const RELAY_SETTINGS = '~/.config/floe/relay.json';
const FLOE_AREAS = /^(?:config|hook|relay|relay-rules|settings)$/;
const FLOE_CHANGES = /^(?:install|uninstall|create|update|replace|delete|apply|approve)$/;
/** Settings files of agents, by the program that reads them. */
const AGENT_SETTINGS: Readonly<Record<string, string>> = {
  claude: '~/.claude/settings.json',
  codex: '~/.codex/config.toml',
  copilot: '~/.copilot/hooks/floe.json',
  gemini: '~/.gemini/settings.json',
};
/** Arguments with which an agent does not run its hooks, or reads other settings. */
const HOOKS_OFF = /disableAllHooks|^--(?:bare|setting-sources)\b|\bhooks\s*=\s*false|"hooks"\s*:/i;
/** Variables that determine which settings an agent reads. */
const SETTINGS_VARIABLE =
  /^(?:HOME|XDG_CONFIG_HOME|CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME|GEMINI_\w*DIR)$/;

/** The subcommands with which agents change their connectors or settings. */
const SETTINGS_SUBCOMMANDS: ReadonlyMap<string, RegExp> = new Map([
  ['mcp', /^(?:add|remove|enable|disable|reset|import)/],
  ['config', /^(?:set|add|remove)/],
  ['plugin', /^(?:install|uninstall|enable|disable|update|marketplace)/],
]);
/** Git settings that make Git run programs or read other settings. */
const PROGRAM_SETTING =
  /^(?:core\.(?:hookspath|sshcommand|fsmonitor|gitproxy|askpass|pager|editor)|credential\.(?:.*\.)?helper|diff\..*\.(?:textconv|command)|merge\..*\.driver|include(?:if\..*)?\.path|gpg\.(?:.*\.)?program|filter\..*\.(?:clean|smudge|process)|diff\.external|uploadpack\.packobjectshook)$/i;

/**
 * Returns the files that a command changes, or makes ineffective, without naming them: `git config core.hooksPath x`,
 * the commands of Floe that change the relay or its hooks, commands of agents that change connectors, and agents that
 * are started without their hooks. `variables` are the variables that the code sets.
 */
export function findGoverningPaths(
  name: string,
  words: readonly ShellWord[],
  variables: ReadonlySet<string>,
): readonly string[] {
  const texts = words.map(({ text }) => text ?? '');
  if (name === 'git') return changesProgramSetting(words) ? ['.git/config'] : [];
  if (changesRelay(name, texts)) return [RELAY_SETTINGS];
  const settings = Object.hasOwn(AGENT_SETTINGS, name) ? AGENT_SETTINGS[name] : undefined;
  if (settings === undefined) return [];
  const [area = '', action = ''] = findPositionalArguments(name, words).map(({ word }) => word.text ?? '');
  const isGoverning =
    SETTINGS_SUBCOMMANDS.get(area)?.test(action) ||
    texts.some((text, at) => HOOKS_OFF.test(text) || (text === 'hooks' && texts[at - 1] === '--disable')) ||
    [...variables].some((variable) => SETTINGS_VARIABLE.test(variable));
  return isGoverning ? [settings] : [];
}

/** `git config core.hooksPath` without a value prints the setting. */
function changesProgramSetting(words: readonly ShellWord[]): boolean {
  const [first] = findPositionalArguments('git', words);
  if (first?.word.text !== 'config') return false;
  const texts = words.slice(first.at + 1).map(({ text }) => text ?? '');
  const at = texts.findIndex((text) => PROGRAM_SETTING.test(text));
  if (at === -1) return false;
  const before = texts.slice(0, at);
  if (before.some((text) => /^(?:--get|get$)/.test(text))) return false;
  const value = texts[at + 1] ?? '';
  // With `true`, Git uses its own monitor.
  if (/^core\.fsmonitor$/i.test(texts[at] ?? '') && /^(?:true|false)$/.test(value)) return false;
  // An installed pager or editor, or the default one.
  if (/^core\.(?:pager|editor)$/i.test(texts[at] ?? '') && /^[\w.-]*$/.test(value)) return false;
  return at + 1 < texts.length || before.some((text) => /^(?:--)?unset/.test(text));
}

/** Floe runs as `floe`, or as a script that another program runs: `node floe.mjs`. */
function changesRelay(name: string, texts: readonly string[]): boolean {
  const script = texts.findIndex((text) => /(?:^|\/)floe(?:\.mjs)?$/.test(text));
  if (name !== 'floe' && script === -1) return false;
  const rest = name === 'floe' ? texts : texts.slice(script + 1);
  // The value of an option can come before the command.
  const words = rest.filter((text) => !text.startsWith('-'));
  const isChange = words.some((area, at) => FLOE_AREAS.test(area) && FLOE_CHANGES.test(words[at + 1] ?? ''));
  return isChange && !rest.includes('--dry-run');
}
