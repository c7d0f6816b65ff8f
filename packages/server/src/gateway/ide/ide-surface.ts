import { CHAT_SURFACE, type GatewaySurface } from '../surface.ts';

/**
 * The Chat surface for IDEs that let users change the base URL. These IDEs send requests in the
 * format of their own backend.
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
