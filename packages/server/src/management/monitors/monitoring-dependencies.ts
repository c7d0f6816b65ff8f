import type { KeyObject } from 'node:crypto';
import type { OrgPacer } from '../../core/org-pacer.ts';
import type { BoardView } from '../../monitoring/boards/board-view.ts';
import type { MonitoringEngine } from '../../monitoring/monitoring-engine.ts';
import type { MonitorChangeContext } from '../../monitoring/monitors.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import type { OperationContext } from '../operation.ts';

/** The dependencies of the monitoring operations. */
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
  /** Limits the time that previews of boards take. */
  readonly previewPacer: Pick<OrgPacer, 'run'>;
}

/** The scopes that permit managing monitors, channels and alerts. One of them is sufficient. */
export const MONITORING_SCOPES = ['monitoring', 'management'] as const;

/**
 * Returns the context for a change that was requested through the API. Its time is the monitoring
 * engine's time.
 */
export function createMonitorChangeContext(
  { actor, writer }: OperationContext & { readonly writer: DatabaseWriter },
  dependencies: MonitoringDependencies,
): MonitorChangeContext {
  return {
    writer,
    secret: dependencies.beatSecret,
    ...dependencies.engine.evaluationContext(),
    actor: actor.id,
    source: { kind: 'console', line: null },
  };
}

/** Formats Unix milliseconds as ISO 8601 in UTC. Null remains null. */
export function toIsoTimestampOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
