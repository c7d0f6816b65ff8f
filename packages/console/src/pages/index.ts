// One line for each page: a folder with a `routes.ts`. What is not listed does not exist, in the navigation either.

export { alerts } from './alerts/routes.ts';
export { analytics } from './analytics/routes.ts';
export { audit } from './audit/routes.ts';
export { boards } from './boards/routes.ts';
export { breakers } from './breakers/routes.ts';
export { budgets } from './budgets/routes.ts';
export { cache } from './cache/routes.ts';
export { channels } from './channels/routes.ts';
export { connect } from './connect/routes.ts';
export { keys } from './keys/routes.ts';
export { limits } from './limits/routes.ts';
export { maintenance } from './maintenance/routes.ts';
export { members } from './members/routes.ts';
export { models } from './models/routes.ts';
export { monitors } from './monitors/routes.ts';
export { overview } from './overview/routes.ts';
export { playground } from './playground/routes.ts';
export { policies } from './policies/routes.ts';
export { providers } from './providers/routes.ts';
export { requests } from './requests/routes.ts';
export { routes } from './routes/routes.ts';
export { settings } from './settings/routes.ts';
