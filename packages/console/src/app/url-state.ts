import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { querySearch } from './query-text.ts';

export type UrlChanges = Readonly<Record<string, string | null>>;

/** The query of the page's URL, which is the only state of a list, and how to change it. Null takes a parameter away. */
export function useUrlState(): {
  readonly query: URLSearchParams;
  /** A committed filter is a step back; what is typed replaces. */
  readonly change: (changes: UrlChanges, how?: 'push' | 'replace') => void;
} {
  const text = useLocation({ select: ({ searchStr }) => searchStr });
  const navigate = useNavigate();
  const query = useMemo(() => new URLSearchParams(text), [text]);
  const change = useCallback(
    (changes: UrlChanges, how: 'push' | 'replace' = 'push') => {
      const next = new URLSearchParams(text);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) next.delete(name);
        else next.set(name, value);
      }
      void navigate({
        to: '.',
        search: querySearch(next.toString()),
        replace: how === 'replace',
        resetScroll: false,
      });
    },
    [text, navigate],
  );
  return { query, change };
}

/** The org of the URL. */
export function useOrgId(): string {
  const { org } = useParams({ strict: false });
  return typeof org === 'string' ? org : '';
}

/** A parameter of the page's path, such as the id of `/requests/$id`. */
export function usePathParam(name: string): string {
  const params: Readonly<Record<string, unknown>> = useParams({ strict: false });
  const value = params[name];
  return typeof value === 'string' ? value : '';
}
