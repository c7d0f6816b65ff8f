import type { RequestDetail } from '@floe/contract/api/analytics';
import { OrgLink } from '../../app/org-link.tsx';
import { getCurrentTime } from '../../data/server-clock.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { requestDetailText } from './request-detail-text.ts';
import { getApiLabel } from './request-details.ts';
import { formatMetadataValue } from './request-rows.ts';
import { buildSimilarRequestsSearch } from './similar-requests.ts';

const ROUTE_MODES: Readonly<Record<string, string>> = requestDetailText.caller.routeModes;

/** Shows who sent the request, the API that the caller used, and the metadata of the caller. */
export function CallerCard({ request }: { readonly request: RequestDetail }) {
  const {
    key_name,
    surface,
    route_mode,
    team,
    owner,
    end_user,
    client,
    session,
    stream,
    cache,
    metadata,
    created_at,
  } = request;
  return (
    <Card title={requestDetailText.caller.title}>
      <DetailList
        items={[
          [
            requestDetailText.caller.key,
            <OrgLink
              key="key"
              to="/requests"
              search={buildSimilarRequestsSearch('key', key_name, created_at, getCurrentTime())}
            >
              {key_name}
            </OrgLink>,
          ],
          [
            requestDetailText.caller.surface,
            requestDetailText.caller.surfaceMode(getApiLabel(surface), stream),
          ],
          [requestDetailText.caller.routeMode, ROUTE_MODES[route_mode] ?? route_mode],
          [requestDetailText.caller.team, team],
          [requestDetailText.caller.owner, owner],
          [requestDetailText.caller.endUser, end_user],
          [requestDetailText.caller.client, client],
          [
            requestDetailText.caller.session,
            session && (
              <OrgLink
                key="session"
                to="/requests"
                search={buildSimilarRequestsSearch('session', session, created_at, getCurrentTime())}
              >
                {session}
              </OrgLink>
            ),
          ],
          [requestDetailText.caller.cache, cache],
          [
            requestDetailText.caller.metadata,
            Object.keys(metadata).length > 0 ? <MetadataValues key="metadata" metadata={metadata} /> : null,
          ],
        ]}
      />
    </Card>
  );
}

/** Lists the metadata in full. */
function MetadataValues({ metadata }: Pick<RequestDetail, 'metadata'>) {
  return (
    <ul className="grid grid-cols-1 gap-1">
      {Object.entries(metadata).map(([name, value]) => {
        const text = formatMetadataValue(value);
        return (
          <li key={name} className="flex items-start justify-between gap-2">
            <span className="min-w-0 break-words">
              <span className="text-ink-2">{name}: </span>
              {text}
            </span>
            <CopyButton text={text} label={requestDetailText.caller.copyMetadata(name)} />
          </li>
        );
      })}
    </ul>
  );
}

/** Lists the fields that were dropped because the target does not support them. */
export function DroppedFieldsCard({ dropped }: { readonly dropped: readonly string[] }) {
  if (dropped.length === 0) return null;
  return (
    <Card title={requestDetailText.dropped.title}>
      <p className="text-ui text-ink-2">
        {dropped.map((field) => (
          <code
            key={field}
            className="mr-1 rounded-tag border border-line bg-sunken px-1 font-mono text-code text-ink"
          >
            {field}
          </code>
        ))}
        {requestDetailText.dropped.help}
      </p>
    </Card>
  );
}
