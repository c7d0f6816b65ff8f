import type { RequestDetail } from '@floe/contract/api/analytics';
import { OrgLink } from '../../app/org-link.tsx';
import { Card, DetailList } from '../../ui/cards.tsx';
import { Badge } from '../../ui/status.tsx';
import { detailText } from './detail-text.ts';

/** Who sent the request, and how. */
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
    <Card title={detailText.caller.title}>
      <DetailList
        items={[
          [
            detailText.caller.key,
            <OrgLink key="key" to="/requests" search={{ key: key_name }}>
              {key_name}
            </OrgLink>,
          ],
          [detailText.caller.surface, detailText.caller.surfaceMode(surface, stream)],
          [detailText.caller.routeMode, route_mode],
          [detailText.caller.team, team],
          [detailText.caller.owner, owner],
          [detailText.caller.endUser, end_user],
          [detailText.caller.client, client],
          [
            detailText.caller.session,
            session && (
              <OrgLink key="session" to="/requests" search={{ session }}>
                {session}
              </OrgLink>
            ),
          ],
          [detailText.caller.cache, cache],
          [detailText.caller.metadata, tags || null],
        ]}
      />
    </Card>
  );
}

/** The fields that the target does not support. */
export function DroppedCard({ dropped }: { readonly dropped: readonly string[] }) {
  if (dropped.length === 0) return null;
  return (
    <Card title={detailText.dropped.title}>
      <p className="text-ui text-ink-2">
        {dropped.map((field) => (
          <code
            key={field}
            className="mr-1 rounded-tag border border-line bg-sunken px-1 font-mono text-code text-ink"
          >
            {field}
          </code>
        ))}
        {detailText.dropped.help}
      </p>
    </Card>
  );
}
