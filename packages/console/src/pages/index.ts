// One line for each page: a folder with a `routes.ts`. What is not listed does not exist, in the navigation either.

export { audit } from './audit/routes.ts';
export { keys } from './keys/routes.ts';
export { members } from './members/routes.ts';
export { requests } from './requests/routes.ts';
export { settings } from './settings/routes.ts';
