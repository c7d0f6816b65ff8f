import type { RequestDetail } from '@floe/contract/api/analytics';
import { OrgLink } from '../../app/org-link.tsx';
import { formatCount, formatExactMoney } from '../../format/amounts.ts';
import { Card } from '../../ui/cards.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { buildCostTable, type CostLine, listUnpricedUnits } from './cost-table.ts';
import { requestDetailText } from './request-detail-text.ts';
import { describePromptCacheSaving } from './request-details.ts';
import { findUnpricedModel, isCharged } from './request-rows.ts';

const USAGE: Readonly<Record<string, string>> = requestDetailText.cost.usage;
const SOURCES: Readonly<Record<string, string>> = requestDetailText.cost.sources;

/**
 * Shows the tokens and cost of a request by kind of usage. The lines add up to the cost of the request to the
 * nano-dollar.
 */
export function CostCard({ request }: { readonly request: RequestDetail }) {
  const { usage, cost_nano_usd, state } = request;
  const { parts, roundedNanoUsd, isComplete } = buildCostTable(request);
  return (
    <Card title={requestDetailText.cost.title} aside={USAGE[state === 'cached' ? state : usage.source]}>
      <table className="w-full text-ui figures" aria-label={requestDetailText.cost.title}>
        <thead className="text-left text-label text-ink-2">
          <tr>
            <Head>{requestDetailText.cost.tokens}</Head>
            <Head end>{requestDetailText.cost.count}</Head>
            {isComplete && <Head end>{requestDetailText.cost.price}</Head>}
            {isComplete && <Head end>{requestDetailText.cost.cost}</Head>}
          </tr>
        </thead>
        {parts.map(({ attempt, lines }) => (
          <tbody key={attempt?.n ?? 0}>
            {attempt && (
              <tr className="border-t border-line">
                <th scope="rowgroup" colSpan={4} className="pt-2 text-left text-small font-medium text-ink-2">
                  {requestDetailText.cost.attempt(attempt.n, `${attempt.provider}/${attempt.model}`)}
                </th>
              </tr>
            )}
            {lines.map((line) => (
              <Line key={line.kind} line={line} isComplete={isComplete} isKnown={usage.source !== 'none'} />
            ))}
          </tbody>
        ))}
        <tfoot>
          {roundedNanoUsd > 0 && (
            <tr className="border-t border-line text-ink-2">
              <th scope="row" colSpan={3} className="py-1.5 text-left font-normal">
                {requestDetailText.cost.rounding}
              </th>
              <td className="text-right">{formatExactMoney(roundedNanoUsd)}</td>
            </tr>
          )}
          <tr className="border-t border-line-strong font-semibold">
            <th scope="row" colSpan={isComplete ? 3 : 1} className="py-1.5 text-left">
              {requestDetailText.cost.cost}
            </th>
            <td className="text-right" data-cost>
              {cost_nano_usd !== null
                ? formatExactMoney(cost_nano_usd)
                : isCharged(request)
                  ? requestDetailText.cost.unknown
                  : '–'}
              {request.cost_source === 'incomplete' && requestDetailText.cost.incomplete}
            </td>
          </tr>
        </tfoot>
      </table>
      <Remarks request={request} />
    </Card>
  );
}

/** States the source of the prices and which prices are missing. */
function Remarks({ request }: { readonly request: RequestDetail }) {
  const { usage, cost_source } = request;
  const unpriced = findUnpricedModel(request);
  const saving = describePromptCacheSaving(request);
  const source = cost_source && SOURCES[cost_source];
  const missing = listUnpricedUnits(request);
  return (
    <>
      {usage.reasoning_tokens !== null && usage.reasoning_tokens > 0 && (
        <p className="mt-2 text-small text-ink-2">
          {requestDetailText.cost.reasoning(formatCount(usage.reasoning_tokens))}
        </p>
      )}
      {saving && <p className="mt-2 text-small text-ink-2">{saving}</p>}
      {usage.service_tier !== null && (
        <p className="mt-2 text-small text-ink-2">{requestDetailText.cost.serviceTier(usage.service_tier)}</p>
      )}
      {source && <p className="mt-2 text-small text-ink-2">{source}</p>}
      {missing.length > 0 && (
        <p className="mt-2 text-small text-ink-2" data-unpriced>
          {requestDetailText.cost.notPriced(missing.join(', '))}
        </p>
      )}
      {unpriced && (
        <p className="mt-2 text-ui text-ink-2">
          {requestDetailText.cost.modelNoPrice(unpriced)}{' '}
          <OrgLink to="/management/models" search={{ search: unpriced, open: unpriced }} needs="management">
            {requestDetailText.cost.setPrice}
          </OrgLink>
          . {requestDetailText.cost.priceApplies}
        </p>
      )}
    </>
  );
}

function Head({ end, children }: { readonly end?: boolean; readonly children: string }) {
  return (
    <th scope="col" className={joinClassNames('pb-1.5 font-medium', end && 'pl-3 text-right')}>
      {children}
    </th>
  );
}

function Line({
  line,
  isComplete,
  isKnown,
}: {
  readonly line: CostLine;
  readonly isComplete: boolean;
  /** Whether the usage was reported or estimated. */
  readonly isKnown: boolean;
}) {
  const { kind, tokens, usd, nanoUsd } = line;
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1.5 text-left font-normal">
        {kind}
      </th>
      <td className="pl-3 text-right">{tokens === null ? '' : isKnown ? formatCount(tokens) : '–'}</td>
      {isComplete && (
        <td className="pl-3 text-right text-ink-2">{usd === null ? '' : formatUnitPrice(usd)}</td>
      )}
      {isComplete && (
        <td className="pl-3 text-right" data-cost-line>
          {nanoUsd === null ? '' : formatExactMoney(nanoUsd)}
        </td>
      )}
    </tr>
  );
}

/** Formats a price with at least two decimals. It is never rounded, because the lines add up exactly. */
function formatUnitPrice(usd: number): string {
  return Number(usd.toFixed(2)) === usd ? usd.toFixed(2) : String(usd);
}
