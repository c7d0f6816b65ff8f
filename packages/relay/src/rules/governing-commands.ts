import type { SimpleCommand } from '../shell/command.ts';
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

/**
 * Returns the files that a command changes, or makes ineffective, without naming them: `git config core.hooksPath x`,
 * the commands of Floe that change the relay or its hooks, and agents that are started without their hooks.
 */
export function findGoverningPaths(
  { name, assignments }: SimpleCommand,
  words: readonly ShellWord[],
): readonly string[] {
  const texts = words.map(({ text }) => text ?? '');
  if (name === 'git') return changesHooksPath(texts) ? ['.git/hooks'] : [];
  if (changesRelay(name, texts)) return [RELAY_SETTINGS];
  const settings = name !== null && Object.hasOwn(AGENT_SETTINGS, name) ? AGENT_SETTINGS[name] : undefined;
  if (settings === undefined) return [];
  const isWithoutHooks =
    texts.some((text, at) => HOOKS_OFF.test(text) || (text === 'hooks' && texts[at - 1] === '--disable')) ||
    assignments.some((assignment) => SETTINGS_VARIABLE.test(assignment.name));
  return isWithoutHooks ? [settings] : [];
}

/** `git config core.hooksPath` without a value prints the setting. */
function changesHooksPath(texts: readonly string[]): boolean {
  const at = texts.findIndex((text) => /^core\.hookspath$/i.test(text));
  if (at === -1 || texts[0] !== 'config') return false;
  const before = texts.slice(1, at);
  if (before.some((text) => /^(?:--get|get$)/.test(text))) return false;
  return at + 1 < texts.length || before.some((text) => /^(?:--)?unset/.test(text));
}

/** Floe runs as `floe`, or as a script that another program runs: `node floe.mjs`. */
function changesRelay(name: string | null, texts: readonly string[]): boolean {
  const script = texts.findIndex((text) => /(?:^|\/)floe(?:\.mjs)?$/.test(text));
  if (name !== 'floe' && script === -1) return false;
  const rest = name === 'floe' ? texts : texts.slice(script + 1);
  // The value of an option can come before the command.
  const words = rest.filter((text) => !text.startsWith('-'));
  const isChange = words.some((area, at) => FLOE_AREAS.test(area) && FLOE_CHANGES.test(words[at + 1] ?? ''));
  return isChange && !rest.includes('--dry-run');
}
