/** What decides for which model a request counts; '' for a value it lacks. */
export interface CountedRequest {
  readonly provider: string;
  readonly model: string;
  readonly requested: string;
  readonly state: string;
}

/**
 * The model that served, with its provider: two providers may serve models of one name, at different prices. A blocked
 * request, which none served, counts for the model that it asked for.
 */
export function countedModel({ provider, model, requested, state }: CountedRequest): string {
  if (model === '' && state === 'blocked') return requested;
  return provider === '' || model === '' ? model : `${provider}/${model}`;
}
