import { CHAT_SURFACE, type GatewaySurface } from '../surface.ts';

/** The Chat surface for IDEs with a changed base URL. They send what their own backend would accept. */
export const IDE_SURFACE: GatewaySurface = {
  ...CHAT_SURFACE,
  routeMode: 'ide',
  forwardedHeaders: [],
  ide: { deployment: null },
};

/**
 * Returns the same surface for clients that have the model in the path, which takes precedence over the body.
 */
export function createDeploymentSurface(deployment: string): GatewaySurface {
  return { ...IDE_SURFACE, ide: { deployment } };
}
