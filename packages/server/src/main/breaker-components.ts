import { enqueueAlert } from '../alerts/alert.ts';
import { LabelValueLimiter } from '../analytics/exchange-metrics.ts';
import { CounterFamily, GaugeFamily } from '../analytics/metric-families.ts';
import { systemClock } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { type BreakerStateChange, Breakers, formatBreakerId } from '../guardrails/breakers/breakers.ts';
import { createSharedProbeLeases } from '../guardrails/breakers/shared-probe-leases.ts';
import { insertBreakerChange } from '../store/breaker-changes.ts';
import type { Database, LimitCounters } from '../store/store-interfaces.ts';

/** The breakers of this process, and their metrics. */
export interface BreakerComponents {
  readonly breakers: Breakers;
  /** Renders the metrics of the breakers in the Prometheus format. */
  readonly render: () => string;
}

/**
 * Creates this process's breakers. State changes are logged, counted, stored and sent as alerts.
 */
export function createBreakerComponents(
  database: Database,
  counters: LimitCounters,
  log: Log,
): BreakerComponents {
  const changes = new CounterFamily({
    name: 'floe_breaker_transitions_total',
    help: 'Number of breaker state changes, by provider and new state.',
    labels: ['provider', 'state'],
  });
  const providers = new LabelValueLimiter();
  const tell = createBreakerAlerter(database, log);
  const keep = createChangeRecorder(database, log);
  const onChange = (event: BreakerStateChange) => {
    changes.add(1, providers.admit(event.orgId, event.provider), event.state);
    if (event.state === 'open') log.warn({ ...event }, 'breaker opened');
    else log.info({ ...event }, 'breaker changed state');
    tell(event);
    keep(event);
  };
  const leases = createSharedProbeLeases(counters, systemClock);
  const breakers = new Breakers({ clock: systemClock, random: Math.random, leases, onChange });
  const open = new GaugeFamily({
    name: 'floe_breakers_not_closed',
    help: 'Number of breakers that are not closed, by provider and state.',
    labels: ['provider', 'state'],
  });
  return {
    breakers,
    render() {
      open.clear();
      for (const { orgId, provider, state } of breakers.list())
        if (state !== 'closed') open.add(1, providers.admit(orgId, provider), state);
      return changes.render() + open.render();
    },
  };
}

/** Creates a function that stores every state change, for the history and the console. */
function createChangeRecorder(database: Database, log: Log): (event: BreakerStateChange) => void {
  return ({ orgId, provider, model, credential, state, reason }) => {
    const at = systemClock.now();
    const breaker = formatBreakerId({ provider, model, credential });
    const row = { id: createId('brk', at), org_id: orgId, breaker_id: breaker, at, state, because: reason };
    database
      .rowTransaction((writer) => insertBreakerChange(writer, row))
      .catch((error: unknown) =>
        log.warn(
          { err: error, breaker },
          'could not store a breaker state change; it will be missing from the history of the breaker',
        ),
      );
  };
}

/** Time within which alerts of several processes about the same outage count as one alert. */
const SAME_OUTAGE_MS = 300_000;
/**
 * Time after which a breaker that opens again sends another alert. A breaker that receives no requests stays
 * open.
 */
const REOPEN_ALERT_MS = 3_600_000;

/**
 * Creates a function that sends one alert when a breaker opens and one when it closes. Failed probes in
 * between cause no alert.
 */
function createBreakerAlerter(database: Database, log: Log): (event: BreakerStateChange) => void {
  const openSince = new Map<string, number>();

  async function alert(event: BreakerStateChange, id: string, sinceMs: number): Promise<void> {
    const { orgId, provider, model, credential, isCredential, reason } = event;
    const isOver = event.state === 'closed';
    const at = systemClock.now();
    const name = `${provider}/${model} (credential ${credential})`;
    const kind = isCredential ? 'credential' : 'breaker';
    const about = {
      orgId,
      subject: { kind, id, name },
      idempotencyKey: `${kind}/${id}/${event.state}/${Math.floor(at / SAME_OUTAGE_MS)}`,
      at,
      channels: null,
    } as const;
    const error = isOver ? {} : { error: reason };
    await database.transaction((writer) =>
      isCredential
        ? enqueueAlert(writer, {
            ...about,
            event: 'credential',
            fields: { state: isOver ? 'good' : 'bad', sinceMs, ...error },
          })
        : enqueueAlert(writer, {
            ...about,
            event: 'breaker',
            fields: { state: isOver ? 'closed' : 'open', sinceMs, ...error },
          }),
    );
  }

  return (event) => {
    const id = formatBreakerId(event);
    const key = `${event.orgId}\n${id}`;
    const since = openSince.get(key);
    if (event.state === 'closed') openSince.delete(key);
    else if (event.state !== 'open' || (since !== undefined && systemClock.now() - since < REOPEN_ALERT_MS))
      return;
    else openSince.set(key, systemClock.now());
    alert(event, id, since ?? systemClock.now()).catch((error: unknown) =>
      log.warn(
        { err: error, breaker: id },
        'could not store an alert for a breaker; the alert will not be sent',
      ),
    );
  };
}
