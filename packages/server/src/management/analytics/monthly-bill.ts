import { monthlyBillParams, monthlyBillQuery } from '@floe/contract/api/monthly-bill';
import { toDecimalUsd } from '@floe/contract/decimal-usd';
import { Fault } from '@floe/contract/faults';
import { queryMonthlyUsage } from '../../analytics/monthly-usage.ts';
import { getTimeZoneCalendar } from '../../core/time-zone-calendar.ts';
import { hasBackgroundResponsesBefore } from '../../store/background-responses.ts';
import { ROLLUP_SUM_COLUMNS } from '../../store/rollups/rollup-figures.ts';
import { getRetentionStart } from '../../store/settings.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { listTeamsOfOrg } from '../../store/teams.ts';
import { CSV_CONTENT_TYPE, createFileDownloadSchema, FileDownload, formatCsvLine } from '../file-download.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { AnalyticsDataRange } from './analytics-data-range.ts';

/** All metrics except the sum of latencies. That sum is not meaningful for a bill. */
const BILLED_METRICS = ROLLUP_SUM_COLUMNS.slice(0, -1);

/**
 * Time after which requests have ended, except background responses: the default of the timeout `total_ms`. A request
 * counts when it has ended.
 */
const DEFAULT_MAX_REQUEST_MS = 3_600_000;

/**
 * Defines the operation that exports a month's cost by team, cost center, key and model. Repeated
 * exports return the same file.
 */
export function defineExportMonthlyBillOperation(coverage: AnalyticsDataRange): Operation {
  return defineReadOperation({
    name: 'analytics.month',
    method: 'GET',
    path: '/api/analytics/months/{month}.csv',
    scope: 'management',
    summary: 'Download the usage and cost of a completed month by team, cost center, key and model',
    params: monthlyBillParams,
    query: monthlyBillQuery,
    answer: createFileDownloadSchema(CSV_CONTENT_TYPE),
    async run({ orgId, reader, clock }, { params: { month }, query }) {
      const [year = 0, number = 0] = month.split('-').map(Number);
      const timezone = query.timezone ?? coverage.timezoneOf(orgId);
      const { startOfDay } = getTimeZoneCalendar(timezone);
      const [from, to] = [startOfDay(year, number - 1, 1), startOfDay(year, number, 1)];
      const now = clock.now();
      const { complete_until } = coverage.describeRange({ from, to, timezone }, clock);
      if (to > now)
        throw invalidMonthFault(`must be a month that has ended, got ${month}. Choose an earlier month.`);
      if (now < to + DEFAULT_MAX_REQUEST_MS || (await hasBackgroundResponsesBefore(reader, orgId, to)))
        throw invalidMonthFault(
          `some requests from ${month} may still be in progress. Wait until one hour after the end of the month and until all background responses from ${month} have ended, and try again.`,
        );
      if (Date.parse(complete_until) < to)
        throw invalidMonthFault(
          `some requests from ${month} have not been counted yet. Try again in a few minutes.`,
        );
      const keptFrom = await getRetentionStart(reader, 'requests_kept_from');
      if (from < Math.max(coverage.retainedFrom(now), keptFrom))
        throw new Fault(
          'not_found',
          `month: Floe has deleted some requests of ${month} (setting retention.requests_days), so the usage and cost of this month are incomplete. Choose a later month.`,
        );
      const teams = await listTeamsOfOrg(reader, orgId);
      const costCenters = new Map(teams.map(({ id, cost_center }) => [id, cost_center]));
      return new FileDownload(
        CSV_CONTENT_TYPE,
        `floe-${orgId}-${month}.csv`,
        generateBillLines(reader, { orgId, month, from, to, costCenters }),
      );
    },
  });
}

function invalidMonthFault(problem: string): Fault {
  return new Fault('invalid_request', `month: ${problem}`, { param: 'month' });
}

interface BillingMonth {
  readonly orgId: string;
  readonly month: string;
  readonly from: number;
  readonly to: number;
  /** Cost centers by team. */
  readonly costCenters: ReadonlyMap<string, string | null>;
}

async function* generateBillLines(
  reader: DatabaseReader,
  { orgId, month, from, to, costCenters }: BillingMonth,
): AsyncGenerator<string> {
  yield formatCsvLine([
    'month',
    'team',
    'cost_center',
    'key_id',
    'key_name',
    'model',
    ...BILLED_METRICS,
    'cost_usd',
  ]);
  for (const { key, keyName, model, team, sums } of await queryMonthlyUsage(reader, { orgId, from, to })) {
    const figures = BILLED_METRICS.map((_, at) => sums[at] ?? 0);
    const cost = toDecimalUsd(sums[ROLLUP_SUM_COLUMNS.indexOf('cost_nano_usd')] ?? 0);
    yield formatCsvLine([
      month,
      team || null,
      costCenters.get(team) || null,
      key,
      keyName,
      model || null,
      ...figures,
      cost,
    ]);
  }
}
