import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * Redirects once. The target is fixed on the first render, so further renders before the redirect do not
 * change it.
 */
export function Redirect({
  to,
  search = {},
}: {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}) {
  const navigate = useNavigate();
  const target = useRef({ to, search });
  useEffect(() => {
    void navigate({ ...target.current, replace: true });
  }, [navigate]);
  return null;
}
