/** The values that determine under which model a request is counted. A missing value is ''. */
export interface CountedModelInput {
  readonly provider: string;
  readonly model: string;
  readonly requested: string;
  readonly state: string;
}

/**
 * Returns the model under which a request is counted: the model that served it, with its provider. The
 * provider is included because two providers may have a model with the same name at different prices. A
 * blocked request is counted under the requested model.
 */
export function resolveCountedModel({ provider, model, requested, state }: CountedModelInput): string {
  if (model === '' && state === 'blocked') return requested;
  return provider === '' || model === '' ? model : `${provider}/${model}`;
}
