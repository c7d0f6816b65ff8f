import { buildApiUrl } from '../../data/base-url.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { relayText } from './text.ts';

const AGENTS = [
  ['Claude Code', 'claude-code'],
  ['Cursor', 'cursor'],
  ['Codex', 'codex'],
  ['Copilot CLI', 'copilot-cli'],
  ['VS Code', 'vscode'],
] as const;

/**
 * Shows the commands that install the hook in an agent, and a curl command that sends an event to the relay.
 */
export function ConnectAgentInstructions() {
  return (
    <div className="grid gap-3">
      <p className="text-ui text-ink-2">
        {relayText.connect.before} <code className="font-mono text-code">relay</code>
        {relayText.connect.after}
      </p>
      <CodeBlock
        snippets={[
          ...AGENTS.map(([label, agent]) => ({ label, code: formatInstallCommands(agent) })),
          { label: 'curl', code: curlCommand() },
        ]}
      />
    </div>
  );
}

/** Returns the shell commands that install the hook in an agent. */
export function formatInstallCommands(agent: string): string {
  return [
    `export FLOE_BASE_URL=${buildApiUrl('').href.replace(/\/$/, '')}`,
    'export FLOE_RELAY_KEY=… # a platform key with the scope relay',
    `floe hook install ${agent}`,
  ].join('\n');
}

function curlCommand(): string {
  return [
    `curl -fsS ${buildApiUrl('relay/v1/decisions').href} \\`,
    '  -H "Authorization: Bearer $FLOE_RELAY_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"event":"shell","shell":{"command":"git push -f"}}'`,
  ].join('\n');
}
