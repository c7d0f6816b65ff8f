import type { RequestDetail } from '@floe/contract/api/analytics';
import { OrgLink } from '../../app/org-link.tsx';
import { Card, DetailList } from '../../ui/cards.tsx';
import { Badge } from '../../ui/status.tsx';

/** Who asked, and how. */
export function CallerCard({ request }: { readonly request: RequestDetail }) {
  const { key_name, surface, route_mode, team, owner, end_user, client, session, stream, cache, metadata } =
    request;
  const pairs = Object.entries(metadata);
  const tags = pairs.length > 0 && (
    <span className="flex flex-wrap gap-1">
      {pairs.map(([name, value]) => (
        <Badge key={name} name={name}>
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </Badge>
      ))}
    </span>
  );
  return (
    <Card title="Caller">
      <DetailList
        items={[
          [
            'Key',
            <OrgLink key="key" to="/requests" search={{ key: key_name }}>
              {key_name}
            </OrgLink>,
          ],
          ['Surface', `${surface}, ${stream ? 'streamed' : 'not streamed'}`],
          ['Route mode', route_mode],
          ['Team', team],
          ['Owner', owner],
          ['End user', end_user],
          ['Client', client],
          [
            'Session',
            session && (
              <OrgLink key="session" to="/requests" search={{ session }}>
                {session}
              </OrgLink>
            ),
          ],
          ['Cache', cache],
          ['Metadata', tags || null],
        ]}
      />
    </Card>
  );
}

/** What the target could not be told. */
export function DroppedCard({ dropped }: { readonly dropped: readonly string[] }) {
  if (dropped.length === 0) return null;
  return (
    <Card title="Not carried">
      <p className="text-ui text-ink-2">
        {dropped.map((field) => (
          <code
            key={field}
            className="mr-1 rounded-tag border border-line bg-sunken px-1 font-mono text-code text-ink"
          >
            {field}
          </code>
        ))}
        {dropped.length === 1 ? 'has' : 'have'} no equal on this target. The client was told in{' '}
        <code className="font-mono text-code">x-floe-dropped</code>.
      </p>
    </Card>
  );
}
