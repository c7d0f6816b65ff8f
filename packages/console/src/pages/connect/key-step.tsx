import { KeyRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../data/api-error.ts';
import { type ApiMutation, useApiMutation } from '../../data/api-mutation.ts';
import {
  buildKeyName,
  type CreatedKey,
  createGatewayKey,
  generateKeyNameSuffix,
} from '../../data/created-keys.ts';
import { useSignedInSession } from '../../data/session.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton, copyWithToast, OnCopyContext } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { UnsavedSecretGuard } from '../../ui/one-time-secret-dialog.tsx';
import { useIsKeyUsed } from './first-request.tsx';
import { connectText } from './text.ts';

/** The state of creating a personal key for a client, and the function that creates the key. */
export interface KeyCreationState {
  readonly name: string;
  readonly created: CreatedKey | null;
  readonly create: ApiMutation<undefined>;
}

/**
 * Manages the creation of a personal key. The key exists only in the state of the calling component. If the name is
 * already in use, appends four random characters.
 * @param purpose The purpose that is part of the key name, such as `claude-code`.
 */
export function useKeyCreation(purpose: string): KeyCreationState {
  const { user } = useSignedInSession();
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const name = buildKeyName(user.name, purpose);
  const [suffix] = useState(generateKeyNameSuffix);
  const create = useApiMutation(
    (_: undefined, keys) =>
      createGatewayKey(name, null, keys).catch((error: unknown) => {
        const isNameUsed = error instanceof ApiError && error.status === 409 && error.param === 'name';
        if (!isNameUsed) throw error;
        return createGatewayKey(`${name}-${suffix}`, null, keys);
      }),
    { touches: [['keys']], done: setCreated },
  );
  return { name, created, create };
}

/**
 * Renders the step that creates a personal key for a client. The settings on the page contain the key until the
 * user leaves the page.
 */
export function KeyStep({ creation: { name, created, create } }: { readonly creation: KeyCreationState }) {
  const refusal = useDenialReason('own_keys');
  if (created)
    return (
      <Notice state="warning">
        <p>{connectText.key.shownOnce(created.last4)}</p>
        <p className="mt-1.5 flex flex-wrap items-center gap-1 font-mono text-code break-all">
          {created.key}
          <CopyButton text={created.key} label={connectText.key.copy} />
        </p>
      </Notice>
    );
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button icon={KeyRound} needs="own_keys" busy={create.running} onClick={() => create.run(undefined)}>
          {connectText.key.create(name)}
        </Button>
        {refusal ? (
          <Button look="quiet" onClick={() => copyKeyRequest(name)}>
            {connectText.key.copyRequest}
          </Button>
        ) : (
          <span className="text-small text-ink-2">{connectText.key.existing}</span>
        )}
      </div>
      {create.error && (
        <p role="alert" className="text-small text-failing-ink">
          {create.error.message}
        </p>
      )}
    </div>
  );
}

/**
 * Asks for confirmation before the user leaves the page with a new key that is not saved, or while the key is being
 * created. A key is saved when a copy button in `children` has copied it, or when it was used.
 */
export function UnsavedKeyGuard({
  creation: { created, create },
  children,
}: {
  readonly creation: KeyCreationState;
  readonly children: ReactNode;
}) {
  const [copied, setCopied] = useState('');
  const isUsed = useIsKeyUsed(created?.id);
  const isSaved = created === null ? !create.running : isUsed || copied.includes(created.key);
  return (
    <OnCopyContext value={(text) => created && text.includes(created.key) && setCopied(text)}>
      {children}
      {!isSaved && <UnsavedSecretGuard what="key" />}
    </OnCopyContext>
  );
}

function copyKeyRequest(name: string): void {
  copyWithToast(connectText.key.requestText(name, location.origin), connectText.key.requestCopied);
}
