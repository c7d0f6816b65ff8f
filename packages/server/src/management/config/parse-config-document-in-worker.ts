import type { EvaluationPool } from '../evaluation/evaluation-pool.ts';
import type { ConfigDocument, ConfigDocumentInput } from './config-document.ts';

/**
 * Parses a submitted document in a worker thread.
 * @throws the faults of `parseConfigDocument` and `EvaluationPool.run`
 */
export async function parseConfigDocumentInWorker(
  input: ConfigDocumentInput,
  orgId: string,
  evaluationPool: Pick<EvaluationPool, 'run'>,
): Promise<ConfigDocument> {
  const { yaml, config, variables } = input;
  const { org, set, kept, ignored } = await evaluationPool.run(orgId, 'readDocument', {
    given: { yaml, config, variables },
    orgId,
  });
  return {
    org,
    ignored,
    isSet: (...path) => set.has(JSON.stringify(path)),
    keptSecrets: kept,
    keepsSecret: (...path) => kept.has(JSON.stringify(path)),
  };
}
