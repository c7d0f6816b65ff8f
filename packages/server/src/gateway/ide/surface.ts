import { CHAT, type Surface } from '../surface.ts';

/** Chat for IDEs whose base address was changed: they send what their own backend would understand. */
export const IDE: Surface = { ...CHAT, routeMode: 'ide', forwarded: [], ide: { deployment: null } };

/** The same for the settings of clients that name the model in the path, whatever their body says. */
export function deploymentSurface(deployment: string): Surface {
  return { ...IDE, ide: { deployment } };
}
