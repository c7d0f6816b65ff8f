import { CounterTable, GaugeTable } from '../analytics/figures.ts';
import { systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type BreakerEvent, Breakers } from '../guardrails/breakers/breakers.ts';
import { createMemoryLeases } from '../guardrails/breakers/probe-leases.ts';

export interface OpenedBreakers {
  readonly breakers: Breakers;
  /** Their part of the Prometheus exposition. */
  readonly render: () => string;
}

/** The breakers of this process: what changes is logged and counted. */
export function openBreakers(log: Log): OpenedBreakers {
  const changes = new CounterTable({
    name: 'floe_breaker_changes_total',
    help: 'Changes of breakers by provider and the state they changed to.',
    labels: ['provider', 'state'],
  });
  const onChange = (event: BreakerEvent) => {
    changes.add(1, event.provider, event.state);
    if (event.state === 'open') log.warn({ ...event }, 'a breaker opened');
    else log.info({ ...event }, 'a breaker changed');
  };
  const leases = createMemoryLeases(systemClock);
  const breakers = new Breakers({ clock: systemClock, random: Math.random, leases, onChange });
  const open = new GaugeTable({
    name: 'floe_breakers',
    help: 'Breakers that are not closed, by provider and state.',
    labels: ['provider', 'state'],
  });
  return {
    breakers,
    render() {
      open.clear();
      for (const { provider, state } of breakers.list()) if (state !== 'closed') open.add(1, provider, state);
      return changes.render() + open.render();
    },
  };
}
