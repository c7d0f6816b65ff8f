import { useQuery, useQueryClient } from '@tanstack/react-query';
import { sendJson } from '../data/api-client.ts';
import { useApiMutation } from '../data/api-mutation.ts';
import { sessionQuery, useSignedInSession } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorBanner } from './error-banner.tsx';

/**
 * Renders a banner that is shown if another tab has switched the session to another organization. The page keeps its
 * data and unsaved changes. The API rejects its requests until the session is back in its organization.
 */
export function SessionMovedBanner() {
  const client = useQueryClient();
  const { org } = useSignedInSession();
  const { data: current } = useQuery({ ...sessionQuery, staleTime: 0 });
  const back = useApiMutation(() => sendJson('POST', 'api/session/org', { org_id: org.id }), {
    done: () => void client.invalidateQueries(),
  });
  if (current?.state !== 'signed_in') return null;
  return (
    <ErrorBanner
      text={
        <>
          You switched to {current.org.name} in another tab. This page still shows {org.name}. It cannot load
          data or save changes until you switch back.
        </>
      }
    >
      <Button busy={back.running} onClick={() => back.run(undefined)}>
        Switch back to {org.name}
      </Button>
      {back.error && <p className="text-failing-ink">{back.error.message}</p>}
    </ErrorBanner>
  );
}
