import type { RelayConfig, RelayRuleConfig } from '@floe/contract/config';

/** Files that configure agents, or that a shell runs at startup. */
const GOVERNING_FILES = [
  '.cursor/hooks.json',
  '.cursor/hooks/*',
  '.git/hooks/*',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/hooks/*',
  '.codex/hooks.json',
  '.codex/config.toml',
  '.codex/hooks/*',
  '.github/hooks/*',
  '.copilot/hooks/*',
  '.gemini/settings.json',
  '.windsurf/hooks.json',
  '.codeium/windsurf/hooks.json',
  '.codeium/hooks.json',
  '.clinerules/hooks/*',
  '~/Documents/Cline/Hooks/*',
  '/etc/cursor/*',
  '/etc/claude-code/*',
  '/etc/codex/*',
  '/etc/github-copilot/*',
  '/etc/gemini-cli/*',
  '/etc/windsurf/*',
  '/Library/Application Support/Cursor/*',
  '/Library/Application Support/ClaudeCode/*',
  '/Library/Application Support/Windsurf/*',
  '~/.floe/*',
  '~/.config/floe/*',
  '~/.ssh/authorized_keys',
  '~/.ssh/config',
  '~/.bashrc',
  '~/.bash_profile',
  '~/.profile',
  '~/.zshrc',
  '~/.zshenv',
  '~/.zprofile',
];

/**
 * Creates the built-in rule that requires approval before an agent changes the files that control it, such as its
 * settings, its hooks and shell startup files. Returns null if the rule is disabled.
 */
export function createSelfTamperRule({
  self_tamper: mode,
}: Pick<RelayConfig, 'self_tamper'>): RelayRuleConfig | null {
  if (mode === 'off') return null;
  return {
    name: 'self-tamper',
    on: ['file_write'],
    mode,
    match: { path: GOVERNING_FILES },
    decision: 'ask',
    on_error: 'open',
    except: [],
    message: {
      user: 'The agent wants to change settings of an agent, a hook, a shell, SSH or the relay.',
      agent:
        'Changes to settings of agents, hooks, shells, SSH and the relay require approval from a person.',
    },
  };
}
