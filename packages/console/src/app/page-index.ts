import * as pages from '../pages/index.ts';
import { buildNavigation } from './navigation.ts';
import type { PageRoute } from './page-route.ts';

/** Every page that is built. */
export const PAGES: readonly PageRoute[] = Object.values(pages).flat();

/** The page in front of all others. */
export const loadSignIn = () => import('../pages/sign-in/sign-in-page.tsx');

/** The navigation as it stands. */
export const GROUPS = buildNavigation(new Set(PAGES.map(({ path }) => path)));

/** Where `/` leads: the first page of the navigation. */
export const START_PATH = GROUPS[0]?.entries[0]?.path ?? '/requests';
