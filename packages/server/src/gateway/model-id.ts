import { Fault } from '@floe/contract/faults';

/**
 * Maximum size of a model id in UTF-8 bytes. PostgreSQL cannot index long values, and the request log and the
 * charts index the ids.
 */
const MAX_MODEL_ID_BYTES = 512;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/**
 * Returns the model id that a client sent. The id becomes part of headers, URLs and indexed rows, so it must
 * be short and valid Unicode.
 * @throws Fault `invalid_request` without a model id, `model_not_found` for an id that no model can have
 */
export function requireModelId(value: string | null | undefined): string {
  if (value === null || value === undefined || value === '')
    throw new Fault('invalid_request', 'The parameter "model" must be a non-empty string.', {
      param: 'model',
    });
  // A string has at most as many UTF-16 units as UTF-8 bytes.
  if (value.length > MAX_MODEL_ID_BYTES || Buffer.byteLength(value) > MAX_MODEL_ID_BYTES)
    throw impossibleModelFault(`is longer than ${MAX_MODEL_ID_BYTES} bytes`);
  if (!value.isWellFormed() || CONTROL_CHARACTER.test(value))
    throw impossibleModelFault('contains control characters or invalid Unicode');
  return value;
}

function impossibleModelFault(reason: string): Fault {
  return new Fault('model_not_found', `This model is not available. Its id ${reason}.`, { param: 'model' });
}
