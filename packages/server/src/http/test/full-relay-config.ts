import type { FloeConfigInput } from '@floe/contract/config';

type RelayInput = NonNullable<NonNullable<FloeConfigInput['orgs']>[number]['relay']>;

const MATCHES = {
  shell: {
    command: ['git'],
    subcommand: ['push'],
    any_flag: ['--force'],
    all_flags: ['-q'],
    args: ['origin*'],
    does: ['runs_input' as const],
  },
  tool: {
    server_url: ['https://mcp.example/*'],
    server_command: ['npx *'],
    tool: ['delete_*'],
    arguments: { 'repo.owner': ['acme'] },
    text: ['prod-[0-9]+'],
  },
  file: { path: ['~/.ssh/*'] },
};
const WHO = {
  keys: ['ci'],
  teams: ['platform'],
  owners: ['jo@acme.example'],
  agents: ['cursor'],
  repositories: ['github.com/acme/*'],
  branches: ['main'],
};

/**
 * The relay configuration of `FULL_ORG_CONFIG`, with a value in every field. None of the values is
 * the default.
 */
export const FULL_RELAY_CONFIG: RelayInput = {
  mode: 'enforce',
  ask_fallback: 'abstain',
  offline: 'on_error',
  self_tamper: 'observe',
  approvals: { enabled: true, expires_minutes: 5 },
  keep_text: 'none',
  rules: [
    {
      name: 'push',
      on: ['shell'],
      mode: 'warn',
      match: MATCHES.shell,
      who: WHO,
      schedule: { days: ['mon'], from: '08:00', to: '18:00', timezone: 'Europe/Berlin' },
      when: 'shell.text != ""',
      except: [{ reason: 'Release.', until: '2030-01-01T00:00:00.000Z', match: MATCHES.shell, who: WHO }],
      decision: 'ask',
      on_error: 'closed',
      message: { user: 'Ask somebody.', agent: 'Stop.' },
    },
    {
      name: 'connector',
      on: ['tool'],
      match: MATCHES.tool,
      except: [{ reason: 'Ours.', match: MATCHES.tool }],
      decision: 'deny',
    },
    {
      name: 'files',
      on: ['file_read'],
      match: MATCHES.file,
      except: [{ reason: 'Ours.', match: MATCHES.file }],
      decision: 'deny',
    },
    {
      name: 'leaks',
      on: ['prompt'],
      detect: { secrets: true, pii: ['iban'] },
      decision: 'deny',
      message: 'No secrets.',
    },
  ],
};
