// One line for each page: a folder with a `routes.ts`. What is not listed does not exist, in the navigation either.

export { alerts } from './alerts/routes.ts';
export { boards } from './boards/routes.ts';
export { channels } from './channels/routes.ts';
export { maintenance } from './maintenance/routes.ts';
export { monitors } from './monitors/routes.ts';
export { requests } from './requests/routes.ts';
