// One line for each page: a folder with a `routes.ts`. What is not listed does not exist, in the navigation either.
export { breakers } from './breakers/routes.ts';
export { budgets } from './budgets/routes.ts';
export { cache } from './cache/routes.ts';
export { limits } from './limits/routes.ts';
export { models } from './models/routes.ts';
export { requests } from './requests/routes.ts';
export { routes } from './routes/routes.ts';
