import type { KeyObject } from 'node:crypto';
import type { ConfigProblem } from '../../config/config-problem.ts';
import type { DatabaseWriter } from '../../store/ports.ts';
import type { EvaluationPool } from '../evaluation/evaluation-pool.ts';
import type { RuleDependencies } from '../guardrails/rule-dependencies.ts';
import type { ProviderDependencies } from '../providers/provider-dependencies.ts';
import type { Verb } from '../verb.ts';

/** How the file that runs came about. */
export interface ConfigFileStatus {
  /** Name of the file; null without one. */
  readonly file: string | null;
  readonly loadedAt: number;
  /** The last file since then that could not be taken over. */
  readonly rejected: { readonly at: number; readonly problems: readonly ConfigProblem[] } | null;
}

/** What the verbs of the whole configuration stand on. */
export interface ConfigDependencies {
  getFileStatus(): ConfigFileStatus;
  /** Does something in a transaction and takes all of it back. */
  dryRun<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T>;
  /** Every verb of the API: applying a document is performing those of its resources. */
  listVerbs(): readonly Verb[];
  readonly rules: RuleDependencies;
  readonly providers: ProviderDependencies;
  readonly evaluationPool: Pick<EvaluationPool, 'run'>;
  /** Hashes the values of platform keys. */
  readonly pepper: KeyObject;
}
