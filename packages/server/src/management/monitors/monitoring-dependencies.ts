import type { KeyObject } from 'node:crypto';
import type { BoardView } from '../../monitoring/boards/board-view.ts';
import type { MonitoringEngine } from '../../monitoring/engine.ts';
import type { MonitorChangeContext } from '../../monitoring/monitors.ts';
import type { DatabaseWriter } from '../../store/ports.ts';
import type { VerbContext } from '../verb.ts';

/** What the verbs of monitoring stand on beside the database. */
export interface MonitoringDependencies {
  readonly engine: Pick<MonitoringEngine, 'changeContext' | 'evaluationContext'>;
  /** Derives beat URLs. */
  readonly beatSecret: KeyObject;
  /** Address of this installation, without a trailing slash. */
  baseUrl(): string;
  /** Zone of an org, for schedules and boards that name none. */
  timezone(orgId: string): string;
  /** The public page of a board, as a document. */
  renderBoard(view: BoardView): string;
}

/** Either scope manages what is watched. */
export const MONITORING_SCOPES = ['monitoring', 'management'] as const;

/** A change through the API, at the engine's time. */
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

export function toIsoTimestampOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
