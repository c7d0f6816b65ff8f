import { Fault } from '@floe/contract/faults';
import { type OrgCatalog, parseModelId } from '../org-catalog.ts';

/**
 * Requires a model id of the exact form `<provider>/<model>`, without alias or suffix.
 * @throws Fault `model_not_found`
 */
export function requireExactModelId({ providers }: OrgCatalog, model: string): void {
  const provider = parseModelId(model)?.provider;
  if (provider !== undefined && providers.has(provider)) return;
  const enabled = [...providers.keys()].join(', ') || 'none';
  throw new Fault(
    'model_not_found',
    `The model "${model.slice(0, 200)}" is not available. An IDE must send the full model id, <provider>/<model>. Enabled providers: ${enabled}.`,
    { param: 'model' },
  );
}
