import { CHAT_SURFACE, type GatewaySurface } from '../surface.ts';

/** Chat for IDEs whose base address was changed: they send what their own backend would understand. */
export const IDE_SURFACE: GatewaySurface = {
  ...CHAT_SURFACE,
  routeMode: 'ide',
  forwardedHeaders: [],
  ide: { deployment: null },
};

/** The same for the settings of clients that name the model in the path, whatever their body says. */
export function createDeploymentSurface(deployment: string): GatewaySurface {
  return { ...IDE_SURFACE, ide: { deployment } };
}
