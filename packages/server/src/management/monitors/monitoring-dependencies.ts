import type { KeyObject } from 'node:crypto';
import type { BoardView } from '../../monitoring/boards/board-view.ts';
import type { MonitoringEngine } from '../../monitoring/monitoring-engine.ts';
import type { MonitorChangeContext } from '../../monitoring/monitors.ts';
import type { DatabaseWriter } from '../../store/ports.ts';
import type { VerbContext } from '../verb.ts';

/** Dependencies of the monitoring verbs. */
export interface MonitoringDependencies {
  readonly engine: Pick<MonitoringEngine, 'changeContext' | 'evaluationContext'>;
  /** Derives beat URLs. */
  readonly beatSecret: KeyObject;
  /** Public base URL of this installation, without a trailing slash. */
  baseUrl(): string;
  /** Time zone of an org, for schedules and boards without one. */
  timezone(orgId: string): string;
  /** Renders the public page of a board as an HTML document. */
  renderBoard(view: BoardView): string;
}

/** Either of these scopes allows managing monitors. */
export const MONITORING_SCOPES = ['monitoring', 'management'] as const;

/** The context of a change through the API, at the time of the monitoring engine. */
export function createMonitorChangeContext(
  { actor, writer }: VerbContext & { readonly writer: DatabaseWriter },
  dependencies: MonitoringDependencies,
): MonitorChangeContext {
  const { nowMs, committedUntil, gaps } = dependencies.engine.evaluationContext();
  return {
    writer,
    secret: dependencies.beatSecret,
    nowMs,
    committedUntil,
    gaps,
    actor: actor.id,
    source: { kind: 'console', line: null },
  };
}

/** Formats milliseconds as ISO 8601 in UTC. Null remains null. */
export function toIsoTimestampOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
