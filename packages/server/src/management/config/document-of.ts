import type { Trials } from '../trials/trials.ts';
import type { ConfigDocument, SentDocument } from './config-document.ts';

/** A document that a person sent, read in a thread. @throws Fault as `readDocument` and `Trials.run` */
export async function documentOf(
  given: SentDocument,
  orgId: string,
  trials: Pick<Trials, 'run'>,
): Promise<ConfigDocument> {
  const { yaml, config, variables } = given;
  const { org, set, kept, ignored } = await trials.run(orgId, 'readDocument', {
    given: { yaml, config, variables },
    orgId,
  });
  return {
    org,
    ignored,
    sets: (...path) => set.has(JSON.stringify(path)),
    keeps: (...path) => kept.has(JSON.stringify(path)),
  };
}
