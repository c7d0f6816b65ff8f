import { Ellipsis, Plus, TestTube } from 'lucide-react';
import { useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { deleteResource } from '../../data/delete-resource.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { CredentialDialog } from './credential-dialog.tsx';
import { CredentialTestStatus } from './credential-test-status.tsx';
import {
  buildProviderApiPath,
  type CredentialResource,
  type CredentialTestResult,
  PROVIDER_QUERY_KEYS,
  type ProviderResource,
} from './provider-data.ts';
import { providersText } from './text.ts';

/**
 * Lists the credentials of a provider. They can be added, tested, replaced and removed. Their secrets are
 * never shown.
 */
export function CredentialList({ provider }: { readonly provider: ProviderResource }) {
  const [adding, setAdding] = useState(false);
  const fromFile = provider.source.kind === 'file';
  return (
    <div className="grid max-w-3xl gap-3">
      {provider.credentials.length === 0 ? (
        <p className="text-ui text-ink-2">
          {provider.credential_source === 'caller'
            ? providersText.credentials.callerKeys
            : providersText.credentials.noKeys}
        </p>
      ) : (
        <ul className="grid gap-2">
          {provider.credentials.map((credential) => (
            <CredentialRow
              key={credential.name}
              provider={provider}
              credential={credential}
              isLast={provider.credentials.length === 1}
            />
          ))}
        </ul>
      )}
      {!fromFile && (
        <div>
          <Button icon={Plus} needs="management" onClick={() => setAdding(true)}>
            {providersText.credentials.add}
          </Button>
        </div>
      )}
      {adding && <CredentialDialog provider={provider} onClose={() => setAdding(false)} />}
    </div>
  );
}

function CredentialRow({
  provider,
  credential,
  isLast,
}: {
  readonly provider: ProviderResource;
  readonly credential: CredentialResource;
  readonly isLast: boolean;
}) {
  const { name, weight, last4, tested_at, test: result } = credential;
  const path = `${buildProviderApiPath(provider.id)}/credentials/${encodeURIComponent(name)}`;
  const test = useApiMutation(() => sendJson<CredentialTestResult>('POST', `${path}/test`), {
    touches: [['providers']],
  });
  return (
    <li className="grid gap-2 rounded-control border border-line bg-surface px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="font-medium">{name}</span>
        <code className="font-mono text-code text-ink-2">
          {last4 === null ? providersText.credentials.hidden : `…${last4}`}
        </code>
        <span className="text-ui text-ink-2">{providersText.credentials.weight(weight)}</span>
        <span className="ml-auto flex items-center gap-1">
          <Button icon={TestTube} needs="management" busy={test.running} onClick={() => test.run(undefined)}>
            {providersText.credentials.test}
          </Button>
          {provider.source.kind === 'console' && (
            <CredentialMenu provider={provider} name={name} path={path} isLast={isLast} />
          )}
        </span>
      </div>
      {test.error ? (
        <p role="alert" className="text-ui text-failing-ink">
          {test.error.message}
        </p>
      ) : result ? (
        <div className="flex flex-wrap items-center gap-x-3">
          <CredentialTestStatus test={result} />
          {tested_at && (
            <span className="text-small text-ink-3">
              {providersText.credentials.tested} <RelativeTimeText at={tested_at} />
            </span>
          )}
        </div>
      ) : (
        <p className="text-ui text-ink-3">{providersText.credentials.notTested}</p>
      )}
    </li>
  );
}

function CredentialMenu({
  provider,
  name,
  path,
  isLast,
}: {
  readonly provider: ProviderResource;
  readonly name: string;
  readonly path: string;
  readonly isLast: boolean;
}) {
  const [open, setOpen] = useState<'replace' | 'remove' | null>(null);
  const refusal = useDenialReason('management');
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={providersText.credentials.actions(name)} />}>
        <MenuItem disabled={refusal !== null} onSelect={() => setOpen('replace')}>
          {providersText.credentials.replace}
        </MenuItem>
        <MenuItem danger disabled={refusal !== null} onSelect={() => setOpen('remove')}>
          {providersText.credentials.remove}
        </MenuItem>
      </Menu>
      {open === 'replace' && (
        <CredentialDialog provider={provider} replaces={name} onClose={() => setOpen(null)} />
      )}
      {open === 'remove' && (
        <ConfirmChangeDialog
          sendChange={() => deleteResource(path)}
          touches={PROVIDER_QUERY_KEYS}
          onDone={() => {
            setOpen(null);
            showToast(providersText.credentials.removal.done(name));
          }}
          onClose={() => setOpen(null)}
          title={providersText.credentials.removal.title(name)}
          verb={providersText.credentials.removal.verb}
        >
          {isLast
            ? providersText.credentials.removal.lastKey(provider.id)
            : providersText.credentials.removal.otherKeys}
        </ConfirmChangeDialog>
      )}
    </>
  );
}
