import { CHAT_SURFACE, type GatewaySurface } from '../surface.ts';

/**
 * The Chat Completions surface of the IDE adapter, for IDEs that let users change the base URL. It also accepts the
 * variants of the format that these IDEs send.
 */
export const IDE_SURFACE: GatewaySurface = {
  ...CHAT_SURFACE,
  routeMode: 'ide',
  forwardedHeaders: [],
  ide: { deployment: null },
};

/**
 * Returns the IDE surface for clients that send the model in the path, as Azure OpenAI requires it
 * (`/deployments/{model}`). The model in the path takes precedence over the one in the body.
 */
export function createDeploymentSurface(deployment: string): GatewaySurface {
  return { ...IDE_SURFACE, ide: { deployment } };
}
