// One line for each page: a folder with a `routes.ts`. What is not listed does not exist, in the navigation either.
export { analytics } from './analytics/routes.ts';
export { connect } from './connect/routes.ts';
export { overview } from './overview/routes.ts';
export { playground } from './playground/routes.ts';
export { requests } from './requests/routes.ts';
