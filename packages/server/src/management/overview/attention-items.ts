import { ATTENTION_ITEM_KINDS, type OverviewAttentionItem } from '@floe/contract/api/overview';
import { formatBreakerId } from '../../guardrails/breakers/breakers.ts';
import type { SpendCache } from '../../guardrails/spend-cache.ts';
import { DEFAULT_CONFIG_FILE_NAME } from '../../platform/source-location.ts';
import { listOpenAlerts } from '../../store/alerts.ts';
import { getBreakerChangePage } from '../../store/breaker-changes.ts';
import { type FailingMonitor, listFailingMonitors } from '../../store/monitoring/monitor-overview.ts';
import { listExpiringPlatformKeys } from '../../store/platform-keys.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { toIsoTimestamp } from '../analytics/analytics-data-range.ts';
import type { BreakerLister } from '../breakers/breaker-resource.ts';
import type { GetLoadedOrg } from '../loaded-org.ts';
import type { OperationContext } from '../operation.ts';
import { listBudgetItems } from './budget-items.ts';
import type { ProcessStatus } from './process-status.ts';

/** Maximum number of items per kind. If there are more, the overview says so. */
const MAX_ITEMS_PER_KIND = 20;
const EXPIRES_SOON_MS = 7 * 86_400_000;
const MIN_PENDING_ROWS = 1_000;

/** The sources of the items that need attention. */
export interface AttentionDependencies {
  readonly processStatus: ProcessStatus;
  readonly breakers: BreakerLister;
  readonly getLoadedOrg: GetLoadedOrg;
  readonly spendCache: Pick<SpendCache, 'spentNanoUsd'>;
  backlog(): number;
}

type OverviewContext = OperationContext & { readonly reader: DatabaseReader };

/**
 * Returns the items that need attention, ordered by kind, and whether any kind has more items than are
 * listed.
 */
export async function loadAttentionItems(
  context: OverviewContext,
  dependencies: AttentionDependencies,
): Promise<{ readonly attention: OverviewAttentionItem[]; readonly more: boolean }> {
  const { orgId, clock } = context;
  const { getLoadedOrg, spendCache } = dependencies;
  const lists = await Promise.all([
    listProcessItems(context, dependencies),
    listCredentialItems(context),
    listBreakerItems(context, dependencies.breakers),
    listMonitorItems(context),
    listBudgetItems(
      getLoadedOrg(orgId).catalog.rules?.budgets ?? [],
      { orgId, nowMs: clock.now(), limit: MAX_ITEMS_PER_KIND + 1 },
      spendCache,
    ),
    listKeyItems(context),
  ]);
  const rank = (entry: OverviewAttentionItem) => ATTENTION_ITEM_KINDS.indexOf(entry.kind);
  const kept = lists.flatMap((list) => list.slice(0, MAX_ITEMS_PER_KIND));
  return {
    attention: kept.sort((one, other) => rank(one) - rank(other)),
    more: lists.some((list) => list.length > MAX_ITEMS_PER_KIND),
  };
}

function listProcessItems(
  { orgId }: OverviewContext,
  { processStatus, backlog }: AttentionDependencies,
): OverviewAttentionItem[] {
  const found: OverviewAttentionItem[] = [];
  const rejection = processStatus.configRejection(orgId);
  if (rejection)
    found.push({
      kind: 'config_rejected',
      severity: 'critical',
      subject: { kind: 'config', id: 'file', name: rejection.file ?? DEFAULT_CONFIG_FILE_NAME },
      since: toIsoTimestamp(rejection.atMs),
      text: `The previous configuration remains in force, because the last change was rejected: ${rejection.problem}`,
    });
  if (processStatus.sharedStoreState() === 'unavailable')
    found.push({
      kind: 'store_unavailable',
      severity: 'critical',
      subject: { kind: 'store', id: 'shared', name: 'Shared store' },
      since: null,
      text: 'The shared store does not respond, so the on_store_error setting of each limit and budget applies.',
    });
  const waiting = backlog();
  if (waiting >= MIN_PENDING_ROWS)
    found.push({
      kind: 'rows_pending',
      severity: 'warning',
      subject: { kind: 'store', id: 'database', name: 'Database' },
      since: null,
      text: `${waiting} requests that a Floe process has stored on disk are not in the database yet. Charts do not include these requests yet.`,
    });
  const rejectedBeats = processStatus.rejectedBeats(orgId);
  if (rejectedBeats)
    found.push({
      kind: 'beats_rejected',
      severity: 'warning',
      subject: { kind: 'monitors', id: orgId, name: 'Beats' },
      since: toIsoTimestamp(rejectedBeats.atMs),
      text: `Number of beats that a Floe process rejected within the last hour: ${rejectedBeats.count}. Last reason: ${rejectedBeats.last}`,
    });
  return found;
}

async function listCredentialItems({ orgId, reader }: OverviewContext): Promise<OverviewAttentionItem[]> {
  const alerts = await listOpenAlerts(reader, orgId, 'credential', MAX_ITEMS_PER_KIND + 1);
  return alerts.map(({ at, subject_id, subject_name }) => ({
    kind: 'credential_rejected',
    severity: 'critical',
    subject: { kind: 'breaker', id: subject_id, name: subject_name },
    since: toIsoTimestamp(at),
    text: 'The provider rejects this credential, or its account has no quota or credit left.',
  }));
}

async function listBreakerItems(
  { orgId, reader }: OverviewContext,
  breakers: BreakerLister,
): Promise<OverviewAttentionItem[]> {
  const unhealthy = breakers
    .list(orgId)
    // A breaker that only waits for its next request receives traffic. It needs no attention.
    .filter(({ state, forced, probe }) => forced !== null || state === 'open' || probe === 'in_flight')
    .slice(0, MAX_ITEMS_PER_KIND + 1);
  return Promise.all(
    unhealthy.map(async (view): Promise<OverviewAttentionItem> => {
      const id = formatBreakerId(view);
      const subject = { kind: 'breaker', id, name: `${view.provider}/${view.model}` };
      if (view.forced) {
        const { state, until, reason } = view.forced;
        const text = `Forced ${state} until ${formatMinute(toIsoTimestamp(until))}: ${reason}`;
        return { kind: 'breaker_forced', severity: 'warning', subject, since: null, text };
      }
      const { rows } = await getBreakerChangePage(reader, { orgId, breakerId: id, limit: 1 });
      const since = rows[0] ? toIsoTimestamp(rows[0].at) : null;
      const text = view.state === 'open' ? `Open: ${view.reason}.` : 'One request is testing the target.';
      return { kind: 'breaker_open', severity: 'critical', subject, since, text };
    }),
  );
}

async function listMonitorItems({ orgId, reader }: OverviewContext): Promise<OverviewAttentionItem[]> {
  const failing = await listFailingMonitors(reader, orgId, MAX_ITEMS_PER_KIND + 1);
  return failing.map((monitor) => ({
    kind: 'monitor_failing',
    severity: 'critical',
    subject: { kind: 'monitor', id: monitor.id, name: monitor.name },
    since: monitor.failing_since === null ? null : toIsoTimestamp(monitor.failing_since),
    text: describeMonitorFailure(monitor),
  }));
}

/** A reported failure is a beat, so the last beat is then not older than the failing. */
function describeMonitorFailure({ failing_since, last_beat_at }: FailingMonitor): string {
  if (last_beat_at === null) return 'No beat has arrived yet.';
  if (failing_since !== null && last_beat_at >= failing_since) return 'The job reported a failure.';
  return `No beat since ${formatMinute(toIsoTimestamp(last_beat_at))}.`;
}

async function listKeyItems({ orgId, reader, clock }: OverviewContext): Promise<OverviewAttentionItem[]> {
  const now = clock.now();
  const keys = await listExpiringPlatformKeys(
    reader,
    orgId,
    { now, before: now + EXPIRES_SOON_MS },
    MAX_ITEMS_PER_KIND + 1,
  );
  return keys.map(({ id, name, expires_at }) => ({
    kind: 'key_expires',
    severity: 'notice',
    subject: { kind: 'key', id, name },
    since: null,
    text: `The key expires on ${formatMinute(toIsoTimestamp(expires_at ?? now))}.`,
  }));
}

/** Formats a moment in milliseconds as `2026-11-26 at 05:47 UTC`. */
function formatMinute(moment: string): string {
  return `${moment.slice(0, 10)} at ${moment.slice(11, 16)} UTC`;
}
