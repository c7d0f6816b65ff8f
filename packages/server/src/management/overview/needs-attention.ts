import { ATTENTION_KINDS, type Attention } from '@floe/contract/api/overview';
import { breakerIdOf } from '../../guardrails/breakers/breakers.ts';
import { USUAL_FILE } from '../../platform/file-place.ts';
import { openAlerts } from '../../store/alerts.ts';
import { breakerChangePage } from '../../store/breaker-changes.ts';
import { failingMonitors } from '../../store/monitoring/overview.ts';
import { keysExpiring } from '../../store/platform-keys.ts';
import type { Reader } from '../../store/ports.ts';
import { momentOf } from '../analytics/analytics-host.ts';
import type { BreakerSource } from '../breakers/breaker-answer.ts';
import type { budgets } from '../resources/guardrails.ts';
import type { VerbContext } from '../verb.ts';
import type { Standing } from './overview-standing.ts';

/** Entries of one kind; of more the overview says that there are more. */
const MOST_OF_A_KIND = 20;
const EXPIRES_SOON_MS = 7 * 86_400_000;
const USED_SHARE = 0.8;
const ROWS_WAITING = 1_000;

export interface AttentionParts {
  readonly standing: Standing;
  readonly breakers: BreakerSource;
  readonly budgets: Pick<ReturnType<typeof budgets>, 'page' | 'view'>;
  backlog(): number;
}

type Context = VerbContext & { readonly reader: Reader };

/** Everything that needs somebody, in the order of its kinds, and whether there is more of one. */
export async function attentionOf(
  context: Context,
  parts: AttentionParts,
): Promise<{ readonly attention: Attention[]; readonly more: boolean }> {
  const lists = await Promise.all([
    ofProcess(context, parts),
    ofCredentials(context),
    ofBreakers(context, parts.breakers),
    ofMonitors(context),
    ofBudgets(context, parts.budgets),
    ofKeys(context),
  ]);
  const rank = (entry: Attention) => ATTENTION_KINDS.indexOf(entry.kind);
  const kept = lists.flatMap((list) => list.slice(0, MOST_OF_A_KIND));
  return {
    attention: kept.sort((one, other) => rank(one) - rank(other)),
    more: lists.some((list) => list.length > MOST_OF_A_KIND),
  };
}

function ofProcess({ orgId }: Context, { standing, backlog }: AttentionParts): Attention[] {
  const found: Attention[] = [];
  const refusal = standing.configRefusal(orgId);
  if (refusal)
    found.push({
      kind: 'config_refused',
      severity: 'critical',
      subject: { kind: 'config', id: 'file', name: refusal.file ?? USUAL_FILE },
      since: momentOf(refusal.atMs),
      text: `The last change was refused and the configuration before it runs: ${refusal.problem}`,
    });
  if (standing.sharedStore() === 'away')
    found.push({
      kind: 'store_away',
      severity: 'critical',
      subject: { kind: 'store', id: 'shared', name: 'Shared store' },
      since: null,
      text: 'It does not answer: each process counts its own share of every limit.',
    });
  const waiting = backlog();
  if (waiting >= ROWS_WAITING)
    found.push({
      kind: 'rows_waiting',
      severity: 'warning',
      subject: { kind: 'store', id: 'database', name: 'Database' },
      since: null,
      text: `${waiting} requests are on disk and not yet in the database; charts end where it stands.`,
    });
  const beats = standing.refusedBeats(orgId);
  if (beats)
    found.push({
      kind: 'beats_refused',
      severity: 'warning',
      subject: { kind: 'monitors', id: orgId, name: 'Heartbeats' },
      since: momentOf(beats.atMs),
      text: `${beats.count} refused within an hour; the last: ${beats.last}`,
    });
  return found;
}

async function ofCredentials({ orgId, reader }: Context): Promise<Attention[]> {
  const alerts = await openAlerts(reader, orgId, 'credential', MOST_OF_A_KIND + 1);
  return alerts.map(({ at, subject_id, subject_name }) => ({
    kind: 'credential_refused',
    severity: 'critical',
    subject: { kind: 'breaker', id: subject_id, name: subject_name },
    since: momentOf(at),
    text: 'The provider refuses this credential.',
  }));
}

async function ofBreakers({ orgId, reader }: Context, breakers: BreakerSource): Promise<Attention[]> {
  const troubled = breakers
    .list(orgId)
    // One that only waits for the next request takes traffic and needs nobody.
    .filter(({ state, forced, probe }) => forced !== null || state === 'open' || probe === 'in_flight')
    .slice(0, MOST_OF_A_KIND + 1);
  return Promise.all(
    troubled.map(async (view): Promise<Attention> => {
      const id = breakerIdOf(view);
      const subject = { kind: 'breaker', id, name: `${view.provider}/${view.model}` };
      if (view.forced) {
        const { state, until, reason } = view.forced;
        const text = `Forced ${state} until ${momentOf(until)}: ${reason}`;
        return { kind: 'breaker_forced', severity: 'warning', subject, since: null, text };
      }
      const { rows } = await breakerChangePage(reader, { orgId, breakerId: id, limit: 1 });
      const since = rows[0] ? momentOf(rows[0].at) : null;
      return { kind: 'breaker_open', severity: 'critical', subject, since, text: `Open: ${view.because}` };
    }),
  );
}

async function ofMonitors({ orgId, reader }: Context): Promise<Attention[]> {
  const failing = await failingMonitors(reader, orgId, MOST_OF_A_KIND + 1);
  return failing.map(({ id, name, failing_since }) => ({
    kind: 'monitor_failing',
    severity: 'critical',
    subject: { kind: 'monitor', id, name },
    since: failing_since === null ? null : momentOf(failing_since),
    text: 'No heartbeat came in time, or the job said that it failed.',
  }));
}

async function ofBudgets(context: Context, budgets: AttentionParts['budgets']): Promise<Attention[]> {
  const { rows } = await budgets.page(context, { limit: 500 });
  const views = await Promise.all(rows.map((row) => budgets.view(row, context)));
  const near = views.flatMap(({ id, name, limit_usd, mode, state }) => {
    const share = state === null ? 0 : state.spent_nano_usd / (limit_usd * 1e9);
    return share >= USED_SHARE ? [{ id, name, mode, share }] : [];
  });
  return near
    .sort((one, other) => other.share - one.share)
    .slice(0, MOST_OF_A_KIND + 1)
    .map(({ id, name, mode, share }) => ({
      kind: 'budget_used',
      severity: share >= 1 && mode === 'hard' ? 'critical' : 'warning',
      subject: { kind: 'budget', id, name },
      since: null,
      text: `${Math.floor(share * 100)} % is used${share >= 1 && mode === 'hard' ? ', requests are refused' : ''}.`,
    }));
}

async function ofKeys({ orgId, reader, clock }: Context): Promise<Attention[]> {
  const now = clock.now();
  const keys = await keysExpiring(reader, orgId, { now, before: now + EXPIRES_SOON_MS }, MOST_OF_A_KIND + 1);
  return keys.map(({ id, name, expires_at }) => ({
    kind: 'key_expires',
    severity: 'notice',
    subject: { kind: 'key', id, name },
    since: null,
    text: `It ends on ${minuteOf(momentOf(expires_at ?? now))}.`,
  }));
}

/** `2026-11-26 at 05:47 UTC` */
function minuteOf(moment: string): string {
  return `${moment.slice(0, 10)} at ${moment.slice(11, 16)} UTC`;
}
