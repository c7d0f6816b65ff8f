import * as pages from '../pages/index.ts';
import { buildNavigation } from './navigation.ts';
import type { PageRoute } from './page-route.ts';

/** Every page that is built. */
export const PAGE_ROUTES: readonly PageRoute[] = Object.values(pages).flat();

/** The page in front of all others. */
export const loadSignInPage = () => import('../pages/sign-in/sign-in-page.tsx');

/** The navigation as it stands. */
export const NAVIGATION_GROUPS = buildNavigation(new Set(PAGE_ROUTES.map(({ path }) => path)));

/** Where `/` leads: the first page of the navigation. */
export const START_PATH = NAVIGATION_GROUPS[0]?.entries[0]?.path ?? '/requests';
