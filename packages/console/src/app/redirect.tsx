import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Goes elsewhere, once: where to is fixed when it is first drawn, whatever is drawn again on the way. */
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
