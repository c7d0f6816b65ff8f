import { useSession } from '../data/session.ts';
import { START_PATH } from './page-index.ts';
import { Redirect } from './redirect.tsx';

/** Redirects from `/` to the start page of the organization, or to the sign-in page. */
export function StartRedirect() {
  const session = useSession();
  if (!session) return null;
  if (session.state === 'signed_out') return <Redirect to="/sign-in" />;
  return <Redirect to={`/o/${session.org.id}${START_PATH}`} />;
}
