import { useQuery } from '@tanstack/react-query';
import { useApiMutation } from '../../data/api-mutation.ts';
import type { Session } from '../../data/session.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { AccountForm } from './account-form.tsx';
import { acceptInvitationLink, buildInvitationPreviewQuery, type InvitationPreview } from './sign-in-data.ts';
import { signInText } from './text.ts';

/** Shows an invitation, which the user can accept with an existing or a new account. */
export function InvitationPage({
  token,
  session,
  onEntered,
}: {
  readonly token: string;
  readonly session: Session;
  readonly onEntered: () => void;
}) {
  const { data, error } = useQuery(buildInvitationPreviewQuery(token));
  if (error) return <ErrorState what={signInText.invitation.loadFailed} error={error} />;
  if (!data) return <Skeleton className="h-48" />;
  if (session.state === 'signed_in')
    return <Join token={token} preview={data} email={session.user.email} onEntered={onEntered} />;
  return (
    <div className="grid gap-4">
      <InvitationSummary preview={data} />
      <AccountForm kind="invitation" token={token} methods={session.methods} onEntered={onEntered} />
    </div>
  );
}

function InvitationSummary({
  preview: { org, email, role, expires_at },
}: {
  readonly preview: InvitationPreview;
}) {
  return (
    <div className="grid gap-1">
      <h1 className="text-display font-semibold tracking-tight">{signInText.invitation.title(org.name)}</h1>
      <p className="text-body text-ink-2">
        {signInText.invitation.about(
          email,
          role,
          formatFullDateTime(new Date(expires_at), getBrowserTimeZone()),
        )}
      </p>
    </div>
  );
}

function Join({
  token,
  preview,
  email,
  onEntered,
}: {
  readonly token: string;
  readonly preview: InvitationPreview;
  readonly email: string;
  readonly onEntered: () => void;
}) {
  const accept = useApiMutation(() => acceptInvitationLink(token, null), { done: onEntered });
  const same = email.toLowerCase() === preview.email.toLowerCase();
  return (
    <div className="grid gap-4">
      <InvitationSummary preview={preview} />
      {accept.error && (
        <p role="alert" className="text-ui text-failing-ink">
          {accept.error.message}
        </p>
      )}
      {same ? (
        <Button look="primary" busy={accept.running} onClick={() => accept.run(undefined)}>
          {signInText.invitation.join(preview.org.name)}
        </Button>
      ) : (
        <Notice>{signInText.invitation.otherAccount(email)}</Notice>
      )}
    </div>
  );
}
