/** The values that determine for which model a request counts. '' for a missing value. */
export interface RequestedAndServedModel {
  readonly provider: string;
  readonly model: string;
  readonly requested: string;
  readonly state: string;
}

/**
 * The model that served the request, with its provider, because two providers may have a model with the
 * same name at different prices. A blocked request counts for the requested model.
 */
export function getCountedModel({ provider, model, requested, state }: RequestedAndServedModel): string {
  if (model === '' && state === 'blocked') return requested;
  return provider === '' || model === '' ? model : `${provider}/${model}`;
}
