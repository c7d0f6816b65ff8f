// One line for each page: a folder with a `routes.ts`. What is not listed does not exist, in the navigation either.
export { requests } from './requests/routes.ts';
