import type { KeyObject } from 'node:crypto';
import type { ConfigProblem } from '../../config/config-problem.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import type { EvaluationPool } from '../evaluation/evaluation-pool.ts';
import type { RuleDependencies } from '../guardrails/rule-dependencies.ts';
import type { Operation } from '../operation.ts';
import type { ProviderDependencies } from '../providers/provider-dependencies.ts';

/** Whether and when floe.yaml was loaded, and why a later version was rejected. */
export interface ConfigFileStatus {
  /** Name of the file. Null if the process runs without one. */
  readonly file: string | null;
  readonly loadedAt: number;
  /** The most recent file that was rejected after the running one was loaded. Null if none was. */
  readonly rejected: { readonly at: number; readonly problems: readonly ConfigProblem[] } | null;
}

/** The dependencies of the operations on the whole configuration. */
export interface ConfigDependencies {
  getFileStatus(): ConfigFileStatus;
  /** Runs the work in a transaction and rolls it back. */
  dryRun<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T>;
  /** Returns all API operations. Applying a document runs the operations of its resources. */
  listOperations(): readonly Operation[];
  readonly rules: RuleDependencies;
  readonly providers: ProviderDependencies;
  readonly evaluationPool: Pick<EvaluationPool, 'run'>;
  /** Hashes platform keys. */
  readonly pepper: KeyObject;
}
