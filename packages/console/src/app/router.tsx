import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { BASE_PATH } from '../data/base-url.ts';
import { ErrorPage, NotFoundPage } from './error-page.tsx';
import { OrgShell } from './org-shell.tsx';
import { loadSignInPage, PAGE_ROUTES } from './page-index.ts';
import { PageTransition } from './page-transition.tsx';
import { prefetchQueries } from './prefetch-queries.ts';
import { formatQueryString, parseQueryString } from './query-text.ts';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

const arrival = createRoute({ getParentRoute: () => root, path: '/', component: PageTransition });

/** The same page signs in, makes the first account and takes an invitation: it depends on what the link brought. */
const signedOutPages = ['/sign-in', '/first-run', '/invite'].map((path) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(loadSignInPage, 'SignInPage'),
  }),
);

const org = createRoute({ getParentRoute: () => root, path: '/o/$org', component: OrgShell });
const orgStart = createRoute({ getParentRoute: () => org, path: '/', component: PageTransition });

/** The console's router, below the server's path prefix. Pages ask for what they read by `client`. */
export function createConsoleRouter(client: QueryClient) {
  const pages = PAGE_ROUTES.map(({ path, load }) =>
    createRoute({
      getParentRoute: () => org,
      path,
      component: lazyRouteComponent(load, 'Page'),
      errorComponent: ErrorPage,
      // Nothing that is waited for. A link that is only pointed at loads the code, and asks for nothing.
      loader({ cause, params, location }) {
        const query = new URLSearchParams(location.searchStr);
        if (cause !== 'preload') void prefetchQueries(client, load, { query, params });
      },
    }),
  );
  return createRouter({
    routeTree: root.addChildren([arrival, ...signedOutPages, org.addChildren([orgStart, ...pages])]),
    basepath: BASE_PATH === '' ? '/' : BASE_PATH,
    parseSearch: parseQueryString,
    stringifySearch: formatQueryString,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultNotFoundComponent: NotFoundPage,
  });
}
