import { useLocation, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { isHandlingResultAfterUnmount, isHandlingResultWhileMounted } from '../data/change-result.ts';
import { parseQueryString } from './query-string.ts';

declare module '@tanstack/history' {
  interface HistoryState {
    /** The query of the list from which the drawer was opened. The list is the previous history entry. */
    listQuery?: string | undefined;
  }
}

/** Changes to query parameters, by name. Null removes a parameter. */
export type UrlParameterChanges = Readonly<Record<string, string | null>>;

/**
 * Returns the query parameters of the URL, and a function that changes them. The query parameters contain the
 * entire state of a list.
 */
export function useUrlState(): {
  readonly query: URLSearchParams;
  /** Use `push` for an applied filter, so that Back undoes it. Use `replace` while the user types. */
  readonly change: (changes: UrlParameterChanges, how?: 'push' | 'replace') => void;
} {
  const text = useLocation({ select: ({ searchStr }) => searchStr });
  const router = useRouter();
  const navigate = useNavigate();
  const query = useMemo(() => new URLSearchParams(text), [text]);
  const change = useCallback(
    (changes: UrlParameterChanges, how: 'push' | 'replace' = 'push') => {
      if (isHandlingResultAfterUnmount()) return;
      // Read from the history, because several changes can follow each other before the next rendering.
      const { search, state } = router.history.location;
      const next = new URLSearchParams(search);
      const before = next.toString();
      const wasOpen = next.has('open');
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) next.delete(name);
        else next.set(name, value);
      }
      const isClosing = changes['open'] === null && Object.keys(changes).length === 1;
      // A closed drawer must not leave a history entry that Back would open again. What the user has changed in the
      // list while the drawer was open stays.
      if (isClosing && state.listQuery === next.toString())
        return router.history.back({ ignoreBlocker: isHandlingResultWhileMounted() });
      const isOpening = how === 'push' && next.has('open') && !wasOpen;
      // Another row in the open drawer adds no history entry either.
      const isReplaced = how === 'replace' || isClosing || (wasOpen && Boolean(changes['open']));
      const kept = isReplaced && next.has('open') ? state.listQuery : undefined;
      void navigate({
        to: '.',
        search: parseQueryString(next.toString()),
        replace: isReplaced,
        resetScroll: false,
        ignoreBlocker: isHandlingResultWhileMounted(),
        state: (current) => ({ ...current, listQuery: isOpening ? before : kept }),
      });
    },
    [navigate, router],
  );
  return { query, change };
}

/** Returns the ID of the organization in the URL. */
export function useOrgId(): string {
  const { org } = useParams({ strict: false });
  return typeof org === 'string' ? org : '';
}

/** Returns a parameter of the page’s path, such as the ID in `/requests/$id`. */
export function usePathParam(name: string): string {
  const params: Readonly<Record<string, unknown>> = useParams({ strict: false });
  const value = params[name];
  return typeof value === 'string' ? value : '';
}
