import type { EvaluationPool } from '../evaluation/evaluation-pool.ts';
import type { ConfigDocument, ConfigDocumentInput } from './config-document.ts';

/**
 * Parses a document in a worker thread. References in a document that Floe has exported are not checked.
 * @throws the faults of `parseConfigDocument` and `EvaluationPool.run`
 */
export async function parseConfigDocumentInWorker(
  input: ConfigDocumentInput,
  orgId: string,
  evaluationPool: Pick<EvaluationPool, 'run'>,
  origin: 'submitted' | 'exported' = 'submitted',
): Promise<ConfigDocument> {
  const { yaml, config, variables } = input;
  const { org, set, kept, ignored } = await evaluationPool.run(orgId, 'readDocument', {
    given: { yaml, config, variables },
    orgId,
    origin,
  });
  return {
    org,
    ignored,
    isSet: (...path) => set.has(JSON.stringify(path)),
    keptSecrets: kept,
    keepsSecret: (...path) => kept.has(JSON.stringify(path)),
  };
}
