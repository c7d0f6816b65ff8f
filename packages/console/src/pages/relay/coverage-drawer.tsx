import { OrgLink } from '../../app/org-link.tsx';
import { buildApiUrl } from '../../data/base-url.ts';
import { formatCount } from '../../format/amounts.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHeader } from '../../ui/drawer-header.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import {
  buildCoverageRowId,
  type CoverageRow,
  getCoverageDisplay,
  RELAY_REQUIRED_POLICY,
} from './coverage-status.ts';
import { formatInstallCommands, HOOK_AGENTS } from './hook-install-commands.ts';
import { relayText } from './text.ts';

/**
 * Shows for one person and one agent how many sessions called the relay, and how to install or require the
 * hook.
 */
export function CoverageDrawer({
  row,
  onClose,
}: {
  readonly row: CoverageRow;
  readonly onClose: () => void;
}) {
  const { owner, key, agent } = row;
  return (
    <Drawer title={relayText.person.title} about={buildCoverageRowId(row)} onClose={onClose}>
      <DrawerHeader
        title={relayText.person.heading(
          owner ?? relayText.coverage.key(key),
          agent ?? relayText.coverage.unknownAgent,
        )}
        onClose={onClose}
      >
        {getCoverageDisplay(row).word}
      </DrawerHeader>
      <div className="grid gap-4 p-4 md:p-6">
        <Card title={relayText.person.activity}>
          <DetailList
            items={[
              [relayText.person.key, key],
              [relayText.person.sessions, formatCount(row.sessions)],
              [relayText.person.coveredSessions, formatCount(row.covered_sessions)],
              [
                relayText.person.withoutSession,
                row.requests_without_session === 0 ? null : formatCount(row.requests_without_session),
              ],
              [relayText.person.agentVersion, row.agent_version],
              [relayText.person.hookVersion, row.client_version],
              [
                relayText.person.lastModelRequest,
                row.last_model_request_at && <RelativeTimeText key="m" at={row.last_model_request_at} />,
              ],
              [
                relayText.person.lastRelayCall,
                row.last_relay_call_at && <RelativeTimeText key="r" at={row.last_relay_call_at} />,
              ],
            ]}
          />
        </Card>
        <Card
          title={row.client_version === null ? relayText.person.install : relayText.person.installElsewhere}
        >
          <HookInstallation agent={agent} />
        </Card>
        <Card
          title={relayText.person.require}
          aside={<OrgLink to="/management/policies">{relayText.person.policies}</OrgLink>}
        >
          <p className="mb-3 text-ui text-ink-2">{relayText.person.requireHint}</p>
          <CodeBlock snippets={[{ label: 'floe.yaml', code: RELAY_REQUIRED_POLICY }]} />
        </Card>
      </div>
    </Drawer>
  );
}

/** Shows the commands that install the hook in an agent, or in each agent if the agent is unknown. */
function HookInstallation({ agent }: { readonly agent: string | null }) {
  // An agent can send any name, so only known names become part of a command.
  const hooked = agent === null ? HOOK_AGENTS : HOOK_AGENTS.filter((known) => known.agent === agent);
  if (hooked.length === 0) return <p className="text-ui text-ink-2">{relayText.person.noInstaller}</p>;
  return (
    <CodeBlock
      snippets={hooked.map((known) => ({
        label: known.label,
        code: formatInstallCommands(known, buildApiUrl('').href),
      }))}
    />
  );
}
