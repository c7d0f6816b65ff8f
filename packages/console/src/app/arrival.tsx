import { Navigate } from '@tanstack/react-router';
import { useSession } from '../data/session.ts';
import { START } from './page-index.ts';

/** `/`: to the first page of one's org, or to the sign-in page. */
export function Arrival() {
  const session = useSession();
  if (!session) return null;
  if (session.state === 'signed_out') return <Navigate to="/sign-in" replace />;
  return <Navigate to={`/o/${session.org.id}${START}`} replace />;
}
