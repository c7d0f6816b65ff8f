import * as pages from '../pages/index.ts';
import { buildNavigation } from './navigation.ts';
import type { PageRoute } from './page-route.ts';

/** The routes of all pages. */
export const PAGE_ROUTES: readonly PageRoute[] = Object.values(pages).flat();

/** Loads the sign-in page. It is not one of the organization pages. */
export const loadSignInPage = () => import('../pages/sign-in/sign-in-page.tsx');

/** The navigation groups to show. */
export const NAVIGATION_GROUPS = buildNavigation(new Set(PAGE_ROUTES.map(({ path }) => path)));

/** The path that `/` redirects to: the first page of the navigation. */
export const START_PATH = NAVIGATION_GROUPS[0]?.entries[0]?.path ?? '/requests';
