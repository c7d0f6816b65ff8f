import { KeyRound } from 'lucide-react';
import { ApiError } from '../../data/api-error.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { type CreatedKey, createGatewayKey, keyName, shortRandom } from '../../data/created-keys.ts';
import { useSignedIn } from '../../data/session.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton, copyWithToast } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/feedback.tsx';

/** Makes a key of the person's own for one client; it stands in the snippets while the page is open, and nowhere after. */
export function KeyStep({
  what,
  made,
  onMade,
}: {
  /** What the key is for, as part of its name: `claude-code`. */
  readonly what: string;
  readonly made: CreatedKey | null;
  readonly onMade: (key: CreatedKey) => void;
}) {
  const { user } = useSignedIn();
  const refusal = useDenialReason('own_keys');
  const name = keyName(user.name, what);
  const make = useApiMutation(() => createUniqueKey(name), { touches: [['keys']], done: onMade });
  if (made)
    return (
      <Notice state="warning">
        <p>
          This is the only time the key is shown. It stands in the lines below until you leave this page;
          later only <code className="font-mono text-code">…{made.last4}</code> is.
        </p>
        <p className="mt-1.5 flex flex-wrap items-center gap-1 font-mono text-code break-all">
          {made.key}
          <CopyButton text={made.key} label="Copy the key" />
        </p>
      </Notice>
    );
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button icon={KeyRound} needs="own_keys" busy={make.running} onClick={() => make.run(undefined)}>
          Make key {name}
        </Button>
        {refusal ? (
          <Button look="quiet" onClick={() => copyKeyRequest(name)}>
            Copy a text that asks for one
          </Button>
        ) : (
          <span className="text-small text-ink-2">or use one you have, as $FLOE_KEY</span>
        )}
      </div>
      {make.error && (
        <p role="alert" className="text-small text-failing-ink">
          {make.error.message}
        </p>
      )}
    </div>
  );
}

/** A name that is taken, as by the key of another machine, gets four letters more. */
async function createUniqueKey(name: string): Promise<CreatedKey> {
  try {
    return await createGatewayKey(name);
  } catch (error) {
    if (error instanceof ApiError && error.status === 409)
      return createGatewayKey(`${name}-${shortRandom()}`);
    throw error;
  }
}

function copyKeyRequest(name: string): void {
  copyWithToast(
    `Could you make me a platform key in Floe? Name ${name}, scope gateway. ${location.origin}`,
    'Text copied. Send it to an owner or admin.',
  );
}
