import { OrgLink } from '../../app/org-link.tsx';
import { count, exactMoney } from '../../format/amounts.ts';
import { Card, KeyValue } from '../../ui/facts.tsx';
import { Badge } from '../../ui/state.tsx';
import type { RequestDetail } from './request-data.ts';

/** Tokens by kind and what they cost in all. */
export function CostCard({ request }: { readonly request: RequestDetail }) {
  const { usage, cost_nano_usd } = request;
  const kinds = [
    ['Input', usage.input_tokens],
    ['of it read from the provider’s cache', usage.cached_tokens],
    ['of it written to the provider’s cache', usage.cache_write_tokens],
    ['Output', usage.output_tokens],
    ['of it reasoning', usage.reasoning_tokens],
  ] as const;
  const told = kinds.filter(([, tokens]) => tokens !== null);
  return (
    <Card title="Cost" aside={`usage: ${usage.source}`}>
      <table className="w-full text-ui figures">
        <thead className="text-left text-label text-ink-2">
          <tr>
            <th scope="col" className="pb-1.5 font-medium">
              Tokens
            </th>
            <th scope="col" className="pb-1.5 text-right font-medium">
              Count
            </th>
          </tr>
        </thead>
        <tbody>
          {told.map(([kind, tokens]) => (
            <tr key={kind} className="border-t border-line">
              <th
                scope="row"
                className={`py-1.5 text-left font-normal ${kind.startsWith('of it') ? 'pl-3 text-ink-2' : ''}`}
              >
                {kind}
              </th>
              <td className="text-right">{count(tokens ?? 0)}</td>
            </tr>
          ))}
          <tr className="border-t border-line-strong font-semibold">
            <th scope="row" className="py-1.5 text-left">
              Cost
            </th>
            <td className="text-right">{cost_nano_usd === null ? 'unknown' : exactMoney(cost_nano_usd)}</td>
          </tr>
        </tbody>
      </table>
    </Card>
  );
}

/** Who asked, and how. */
export function CallerCard({ request }: { readonly request: RequestDetail }) {
  const { key_name, surface, route_mode, team, owner, end_user, stream, cache, metadata } = request;
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
      <KeyValue
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
