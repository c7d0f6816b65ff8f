import { apiUrl } from '../../data/base.ts';
import { CodeBlock } from '../../ui/code-block.tsx';

const AGENTS = [
  ['Claude Code', 'claude-code'],
  ['Cursor', 'cursor'],
  ['Codex', 'codex'],
  ['Copilot CLI', 'copilot-cli'],
  ['VS Code', 'vscode'],
] as const;

/** The lines that make an agent ask the relay, and one that asks by hand. */
export function ConnectAgent() {
  return (
    <div className="grid gap-3">
      <p className="text-ui text-ink-2">
        Run this in a clone of Floe on the machine of the agent; the hook runs from that directory. It needs a
        key with the scope <code className="font-mono text-code">relay</code>. The command shows each change
        before it writes it, and keeps hooks that are there.
      </p>
      <CodeBlock
        snippets={[
          ...AGENTS.map(([label, agent]) => ({ label, code: installLines(agent) })),
          { label: 'curl', code: byHand() },
        ]}
      />
    </div>
  );
}

export function installLines(agent: string): string {
  return [
    `export FLOE_BASE_URL=${apiUrl('').href.replace(/\/$/, '')}`,
    'export FLOE_RELAY_KEY=… # a key with the scope relay',
    `node packages/cli/bin/floe.mjs hook install ${agent}`,
  ].join('\n');
}

function byHand(): string {
  return [
    `curl -fsS ${apiUrl('relay/v1/decisions').href} \\`,
    '  -H "Authorization: Bearer $FLOE_RELAY_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"event":"shell","shell":{"command":"git push -f"}}'`,
  ].join('\n');
}
