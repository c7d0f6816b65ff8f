import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * Redirects to a path. A link that the user follows before the redirect takes effect replaces the redirect. The
 * component therefore repeats the redirect on each page for as long as it is rendered. It reads the path only
 * on the first render.
 */
export function Redirect({
  to,
  search = {},
}: {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}) {
  const navigate = useNavigate();
  const page = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const target = useRef({ to, search });
  useEffect(() => {
    if (page !== target.current.to) void navigate({ ...target.current, replace: true });
  }, [navigate, page]);
  return null;
}
