import { monthParams, monthQuery } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import { usdText } from '@floe/contract/usd-text';
import { bookedMonth } from '../../analytics/month.ts';
import { localDays } from '../../core/local-days.ts';
import type { Reader } from '../../store/ports.ts';
import { SUMS } from '../../store/rollups/figures.ts';
import { teamsOfOrg } from '../../store/teams.ts';
import { csvLine, Download, download } from '../download.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { Coverage } from './analytics-host.ts';

const CSV = 'text/csv; charset=utf-8';
/** All but the sum of latencies, which is no figure by itself. */
const FIGURES = SUMS.slice(0, -1);

/** What a month cost, by team, cost centre, key and model: the same file whenever it is asked for. */
export function exportMonth(coverage: Coverage): Verb {
  return readVerb({
    name: 'analytics.month',
    method: 'GET',
    path: '/api/analytics/months/{month}.csv',
    scope: 'management',
    summary: 'Download the use and cost of a month that is over, by team, cost centre, key and model',
    params: monthParams,
    query: monthQuery,
    answer: download(CSV),
    async run({ orgId, reader, clock }, { params: { month }, query }) {
      const [year = 0, number = 0] = month.split('-').map(Number);
      const timezone = query.timezone ?? coverage.zoneOf(orgId);
      const { startOf } = localDays(timezone);
      const [from, to] = [startOf(year, number - 1, 1), startOf(year, number, 1)];
      const now = clock.now();
      const { complete_until } = coverage.of({ from, to, timezone }, clock);
      if (to > now || Date.parse(complete_until) < to)
        throw new Fault('invalid_request', `month: ${month} is not over, or not all of it is counted yet`, {
          param: 'month',
        });
      if (from < coverage.retainedFrom(now))
        throw new Fault(
          'not_found',
          `Requests of ${month} are no longer kept whole (retention.requests_days).`,
        );
      const teams = await teamsOfOrg(reader, orgId);
      const centres = new Map(teams.map(({ id, cost_center }) => [id, cost_center]));
      return new Download(
        CSV,
        `floe-${orgId}-${month}.csv`,
        linesOf(reader, { orgId, month, from, to, centres }),
      );
    },
  });
}

interface Month {
  readonly orgId: string;
  readonly month: string;
  readonly from: number;
  readonly to: number;
  /** Cost centres by team. */
  readonly centres: ReadonlyMap<string, string | null>;
}

async function* linesOf(reader: Reader, { orgId, month, from, to, centres }: Month): AsyncGenerator<string> {
  yield csvLine(['month', 'team', 'cost_centre', 'key_id', 'key_name', 'model', ...FIGURES, 'cost_usd']);
  for (const { key, keyName, model, team, sums } of await bookedMonth(reader, { orgId, from, to })) {
    const figures = FIGURES.map((_, at) => sums[at] ?? 0);
    const cost = usdText(sums[SUMS.indexOf('cost_nano_usd')] ?? 0);
    yield csvLine([
      month,
      team || null,
      centres.get(team) || null,
      key,
      keyName,
      model || null,
      ...figures,
      cost,
    ]);
  }
}
