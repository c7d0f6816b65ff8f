import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { BASE_PATH } from '../data/base-url.ts';
import { ErrorPage } from './error-page.tsx';
import { OrgShell } from './org-shell.tsx';
import { loadSignInPage, PAGE_ROUTES } from './page-index.ts';
import { prefetchPageQueries } from './prefetch-page-queries.ts';
import { formatQueryString, parseQueryString } from './query-string.ts';
import { StartRedirect } from './start-redirect.tsx';

const NotFoundPage = lazyRouteComponent(() => import('./not-found-page.tsx'), 'NotFoundPage');

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

const arrival = createRoute({ getParentRoute: () => root, path: '/', component: StartRedirect });

/** Sign-in, the first account and invitations share one page. The link determines which of them it shows. */
const signedOutPages = ['/sign-in', '/first-run', '/invite'].map((path) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(loadSignInPage, 'SignInPage'),
  }),
);

const org = createRoute({ getParentRoute: () => root, path: '/o/$org', component: OrgShell });
const orgStart = createRoute({ getParentRoute: () => org, path: '/', component: StartRedirect });

/**
 * Throws an error that the router does not recognize as a failure to load code. Otherwise, the router reloads the
 * page, even if Floe does not respond. `ErrorPage` handles the failure.
 */
function rethrowLoadFailure(error: unknown): never {
  throw new Error(`Could not load the page: ${String(error)}`);
}

/**
 * Creates the router of the console, below the server’s path prefix. Pages start their queries with `client`.
 */
export function createConsoleRouter(client: QueryClient) {
  const pages = PAGE_ROUTES.map(({ path, load }) =>
    createRoute({
      getParentRoute: () => org,
      path,
      component: lazyRouteComponent(() => load().catch(rethrowLoadFailure), 'Page'),
      errorComponent: ErrorPage,
      // Does not delay navigation. Hovering over a link loads the code but starts no queries.
      loader({ cause, params, location }) {
        const query = new URLSearchParams(location.searchStr);
        if (cause !== 'preload') void prefetchPageQueries(client, load, { query, params });
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
