import { OrgLink } from '../../app/org-link.tsx';
import { formatCount } from '../../format/amounts.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHead } from '../../ui/drawer-head.tsx';
import { TimeText } from '../../ui/time-text.tsx';
import { installLines } from './connect-agent.tsx';
import { type CoverageRow, coverageId, coverageStatus, REQUIRE_POLICY } from './coverage-status.ts';
import { text } from './text.ts';

/** The relay coverage of one person with one agent, and how to improve it. */
export function CoverageDrawer({
  row,
  onClose,
}: {
  readonly row: CoverageRow;
  readonly onClose: () => void;
}) {
  const { owner, key, agent } = row;
  const lines = installLines(agent ?? 'claude-code');
  return (
    <Drawer title={text.person.title} about={coverageId(row)} onClose={onClose}>
      <DrawerHead
        title={text.person.heading(owner ?? text.coverage.key(key), agent ?? text.coverage.unknownAgent)}
        onClose={onClose}
      >
        {coverageStatus(row).word}
      </DrawerHead>
      <div className="grid gap-4 p-4 md:p-6">
        <Card title={text.person.activity}>
          <DetailList
            items={[
              [text.person.key, key],
              [text.person.sessions, formatCount(row.sessions)],
              [text.person.coveredSessions, formatCount(row.covered_sessions)],
              [
                text.person.withoutSession,
                row.requests_without_session === 0 ? null : formatCount(row.requests_without_session),
              ],
              [text.person.agentVersion, row.agent_version],
              [text.person.hookVersion, row.client_version],
              [
                text.person.lastModelRequest,
                row.last_model_request_at && <TimeText key="m" at={row.last_model_request_at} />,
              ],
              [
                text.person.lastRelayCall,
                row.last_relay_call_at && <TimeText key="r" at={row.last_relay_call_at} />,
              ],
            ]}
          />
        </Card>
        <Card title={text.person.install}>
          <CodeBlock snippets={[{ label: agent ?? 'Claude Code', code: lines }]} />
        </Card>
        <Card
          title={text.person.require}
          aside={<OrgLink to="/management/policies">{text.person.policies}</OrgLink>}
        >
          <p className="mb-3 text-ui text-ink-2">{text.person.requireHint}</p>
          <CodeBlock snippets={[{ label: 'floe.yaml', code: REQUIRE_POLICY }]} />
        </Card>
      </div>
    </Drawer>
  );
}
