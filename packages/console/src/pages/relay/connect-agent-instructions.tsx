import { buildApiUrl } from '../../data/base-url.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { formatInstallCommands, HOOK_AGENTS } from './hook-install-commands.ts';
import { relayText } from './text.ts';

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
          ...HOOK_AGENTS.map((agent) => ({
            label: agent.label,
            code: formatInstallCommands(agent, buildApiUrl('').href),
          })),
          { label: 'curl', code: curlCommand() },
        ]}
      />
    </div>
  );
}

function curlCommand(): string {
  return [
    `curl -fsS ${buildApiUrl('relay/v1/decisions').href} \\`,
    '  -H "Authorization: Bearer $FLOE_RELAY_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"event":"shell","shell":{"command":"git push -f"}}'`,
  ].join('\n');
}
