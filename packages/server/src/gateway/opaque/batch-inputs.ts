import { Fault } from '@floe/contract/faults';
import type { Exchange } from '../exchange-record.ts';
import type { OpaqueRequest } from './opaque-request.ts';
import { canAccessResource } from './owned-resources.ts';

/**
 * The resource kind that is recorded for a batch input file whose lines were validated during the
 * upload.
 */
export const BATCH_INPUT_KIND = 'batch_input';

/**
 * Requires that a batch uses only files that Floe validated. The lines of other files at the provider may contain any
 * model and any resource. If a key may not use every model, it must have uploaded the files itself.
 * @throws Fault `model_not_allowed` for a restricted key, otherwise `invalid_request`
 */
export async function requireValidatedBatchInputs(
  { gateway, caller: { key, catalog } }: Exchange,
  { batchInputs: inputs }: OpaqueRequest,
  isRestricted: boolean,
): Promise<void> {
  const known = await gateway.resourceOwners.find(key.orgId, inputs);
  const scope = isRestricted ? 'key' : catalog.resourceScope;
  for (const id of inputs)
    if (
      !known.get(id)?.some((owner) => owner.kind === BATCH_INPUT_KIND && canAccessResource(scope, key, owner))
    )
      throw uncheckedInputFault(id, isRestricted);
}

function uncheckedInputFault(id: string, isRestricted: boolean): Fault {
  const file = `the file "${id.slice(0, 100)}"`;
  return new Fault(
    isRestricted ? 'model_not_allowed' : 'invalid_request',
    isRestricted
      ? `This key is restricted to certain models, and the models in ${file} were not checked. Upload the file in a single request to /files with this key and the purpose "batch".`
      : `The lines of ${file} were not checked. Upload the file in a single request to /files with the purpose "batch".`,
    { param: 'input_file_id' },
  );
}
