import type { KeyObject } from 'node:crypto';
import type { BoardView } from '../../monitoring/boards/status.ts';
import type { MonitoringEngine } from '../../monitoring/engine.ts';
import type { Changing } from '../../monitoring/monitors.ts';
import type { Writer } from '../../store/ports.ts';
import type { VerbContext } from '../verb.ts';

/** What the verbs of monitoring stand on beside the database. */
export interface MonitoringHost {
  readonly engine: Pick<MonitoringEngine, 'moment' | 'sight'>;
  /** Derives beat URLs. */
  readonly secret: KeyObject;
  /** Address of this installation, without a trailing slash. */
  baseUrl(): string;
  /** Zone of an org, for schedules and boards that name none. */
  timezone(orgId: string): string;
  /** The public page of a board, as a document. */
  drawBoard(view: BoardView): string;
}

/** Either scope manages what is watched. */
export const MONITORING_SCOPES = ['monitoring', 'management'] as const;

/** A change through the API, at the engine's time. */
export function changing(
  { actor, writer }: VerbContext & { readonly writer: Writer },
  host: MonitoringHost,
): Changing {
  const { nowMs, settledUntil, gaps } = host.engine.sight();
  return {
    writer,
    secret: host.secret,
    nowMs,
    settledUntil,
    gaps,
    actor: actor.id,
    source: { kind: 'console', line: null },
  };
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
