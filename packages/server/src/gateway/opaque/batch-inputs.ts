import { Fault } from '@floe/contract/faults';
import type { KeyRecord } from '../../platform/keyring.ts';
import { findBatchReferences } from './batch-references.ts';
import type { OpaqueRequest } from './opaque-request.ts';
import type { ResourceOwners } from './owners.ts';
import type { ResourceReference } from './resource-reference.ts';

/** Recorded as the kind of a file whose every line was judged while it was uploaded. */
export const BATCH_INPUT_KIND = 'batch_input';

/**
 * For a caller who may not use every model, a batch reads only files that this key uploaded and Floe judged: what
 * else lies at the provider may name any model.
 *
 * @throws Fault `model_not_allowed`
 */
export async function requireValidatedInputs(
  owners: ResourceOwners,
  key: KeyRecord,
  { surface }: ResourceReference,
  { body }: OpaqueRequest,
): Promise<void> {
  if (surface !== 'batches' || body.kind !== 'json') return;
  const { inputs } = findBatchReferences(body.bytes);
  if (inputs.length === 0) return;
  const known = await owners.find(key.orgId, inputs);
  for (const id of inputs)
    if (!known.get(id)?.some((owner) => owner.keyId === key.id && owner.kind === BATCH_INPUT_KIND))
      throw new Fault(
        'model_not_allowed',
        `This key may only use certain models, and the lines of the file "${id.slice(0, 100)}" were not checked for it. Upload the file in one piece to /files with this key and the purpose "batch".`,
        { param: 'input_file_id' },
      );
}
