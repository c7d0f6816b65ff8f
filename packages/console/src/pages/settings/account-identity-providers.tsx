import { useQuery } from '@tanstack/react-query';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { connectIdentityProvider, identityProviderConnectionsQuery } from './settings-data.ts';
import { settingsText } from './text.ts';

/**
 * Lists the OpenID Connect identity providers to which the user can connect their account. Renders nothing if
 * there are none.
 */
export function AccountIdentityProviders() {
  const { data } = useQuery(identityProviderConnectionsQuery);
  const connect = useApiMutation((name: string) => connectIdentityProvider(name), { touches: [] });
  if (!data || data.data.length === 0) return null;
  return (
    <Card title={settingsText.identities.title}>
      {connect.error && <p className="mb-2 text-small text-failing-ink">{connect.error.message}</p>}
      <ul className="divide-y divide-line">
        {data.data.map(({ name, connected }) => (
          <li key={name} className="flex items-center gap-3 py-1.5 text-ui">
            <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
            {connected ? (
              <span className="text-small text-ink-2">{settingsText.identities.connected}</span>
            ) : (
              <Button look="quiet" busy={connect.running} onClick={() => connect.run(name)}>
                {settingsText.identities.connect}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p className="mt-2 text-small text-ink-2">{settingsText.identities.hint}</p>
    </Card>
  );
}
