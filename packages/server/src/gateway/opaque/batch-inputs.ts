import { Fault } from '@floe/contract/faults';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { OpaqueRequest } from './opaque-request.ts';
import type { ResourceOwnerStore } from './resource-owner-store.ts';

/**
 * The resource kind that is recorded for a batch input file whose lines were validated during the
 * upload.
 */
export const BATCH_INPUT_KIND = 'batch_input';

/**
 * Requires that a batch uses only files that this key uploaded and Floe validated, unless the key
 * may use every model. Other files at the provider may contain any model.
 * @throws Fault `model_not_allowed`
 */
export async function requireValidatedBatchInputs(
  owners: ResourceOwnerStore,
  key: KeyRecord,
  { batchInputs: inputs }: OpaqueRequest,
): Promise<void> {
  if (inputs.length === 0) return;
  const known = await owners.find(key.orgId, inputs);
  for (const id of inputs)
    if (!known.get(id)?.some((owner) => owner.keyId === key.id && owner.kind === BATCH_INPUT_KIND))
      throw new Fault(
        'model_not_allowed',
        `This key is restricted to certain models, and the models in the file "${id.slice(0, 100)}" were not checked. Upload the file in a single request to /files with this key and the purpose "batch".`,
        { param: 'input_file_id' },
      );
}
