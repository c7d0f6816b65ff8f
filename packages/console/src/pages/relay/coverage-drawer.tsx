import { OrgLink } from '../../app/org-link.tsx';
import { formatCount } from '../../format/amounts.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHead } from '../../ui/drawer-head.tsx';
import { TimeText } from '../../ui/time-text.tsx';
import { installLines } from './connect-agent.tsx';
import { type CoverageRow, coverageId, coverageStatus, REQUIRE_POLICY } from './coverage-status.ts';

/** One person with one agent: what is seen of them, and what to do where it is not enough. */
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
    <Drawer title="Coverage" about={coverageId(row)} onClose={onClose}>
      <DrawerHead title={`${owner ?? `key ${key}`}, ${agent ?? 'no agent named'}`} onClose={onClose}>
        {coverageStatus(row).word}
      </DrawerHead>
      <div className="grid gap-4 p-4 md:p-6">
        <Card title="Seen">
          <DetailList
            items={[
              ['Key', key],
              ['Sessions with models', formatCount(row.sessions)],
              ['Of those, ask the relay', formatCount(row.covered_sessions)],
              [
                'Requests without a session',
                row.requests_without_session === 0 ? null : formatCount(row.requests_without_session),
              ],
              ['Agent version', row.agent_version],
              ['Hook version', row.client_version],
              [
                'Last model request',
                row.last_model_request_at && <TimeText key="m" at={row.last_model_request_at} />,
              ],
              [
                'Last asked the relay',
                row.last_relay_call_at && <TimeText key="r" at={row.last_relay_call_at} />,
              ],
            ]}
          />
        </Card>
        <Card title="Install the hook">
          <CodeBlock snippets={[{ label: agent ?? 'Claude Code', code: lines }]} />
        </Card>
        <Card title="Require it" aside={<OrgLink to="/management/policies">Policies</OrgLink>}>
          <p className="mb-3 text-ui text-ink-2">
            A policy can refuse models to sessions that never ask. In monitor mode it only writes down what it
            would have done.
          </p>
          <CodeBlock snippets={[{ label: 'floe.yaml', code: REQUIRE_POLICY }]} />
        </Card>
      </div>
    </Drawer>
  );
}
