import type { KeyObject } from 'node:crypto';
import type { Problem } from '../../config/problem.ts';
import type { Writer } from '../../store/ports.ts';
import type { RuleHost } from '../guardrails/rule-host.ts';
import type { ProviderHost } from '../providers/provider-host.ts';
import type { Trials } from '../trials/trials.ts';
import type { Verb } from '../verb.ts';

/** How the file that runs came about. */
export interface FileState {
  /** Name of the file; null without one. */
  readonly file: string | null;
  readonly loadedAt: number;
  /** The last file since then that could not be taken over. */
  readonly refused: { readonly at: number; readonly problems: readonly Problem[] } | null;
}

/** What the verbs of the whole configuration stand on. */
export interface ConfigHost {
  fileState(): FileState;
  /** Does something in a transaction and takes all of it back. */
  rehearse<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /** Every verb of the API: applying a document is performing those of its resources. */
  verbs(): readonly Verb[];
  readonly rules: RuleHost;
  readonly providers: ProviderHost;
  readonly trials: Pick<Trials, 'run'>;
  /** Hashes the values of platform keys. */
  readonly pepper: KeyObject;
}
