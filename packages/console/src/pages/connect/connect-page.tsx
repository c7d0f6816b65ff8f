import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { apiUrl } from '../../data/base.ts';
import type { CreatedKey } from '../../data/created-keys.ts';
import { type Model, orgModelsQuery } from '../../data/org-lists.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { EmptyState, Notice } from '../../ui/feedback.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { modelChoices } from '../playground/playground-data.ts';
import { CLIENT_GROUPS, CONNECT_CLIENTS, type ConnectClient, isPrivateHost } from './clients.ts';
import { FirstRequestStatus, WaitingStatus } from './first-request.tsx';
import { KeyStep } from './key-step.tsx';

/** From nothing to the first request of a real client, without reading docs. */
export function ConnectPage() {
  const chosen = usePathParam('client');
  const [search, setSearch] = useState('');
  const client = CONNECT_CLIENTS.find(({ id }) => id === chosen);
  return (
    <PageFrame title="Connect">
      <div className="grid items-start gap-5 xl:grid-cols-[22rem_1fr]">
        <nav aria-label="Clients" className={joinClassNames('grid gap-4', client && 'max-xl:hidden')}>
          <Input
            type="search"
            aria-label="Search clients"
            placeholder="Search clients"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
          {CLIENT_GROUPS.map((group) => (
            <ClientGroup key={group} group={group} search={search} chosen={chosen} />
          ))}
        </nav>
        {client ? (
          // Another client is another sheet: its key and its waiting begin anew.
          <ClientPanel key={client.id} client={client} />
        ) : chosen === '' ? (
          <p className="rounded-card border border-dashed border-line-strong px-4 py-14 text-center text-ui text-ink-2 max-xl:hidden">
            Choose a client. You get its settings with a key of your own, and see its first request arrive.
          </p>
        ) : (
          <EmptyState title={`No client is called ${chosen}`}>
            Any client works that lets you set an address and a key. Choose the one that is most like yours.
          </EmptyState>
        )}
      </div>
    </PageFrame>
  );
}

function ClientGroup({
  group,
  search,
  chosen,
}: {
  readonly group: ConnectClient['group'];
  readonly search: string;
  readonly chosen: string;
}) {
  const found = CONNECT_CLIENTS.filter(
    (client) => client.group === group && client.name.toLowerCase().includes(search.trim().toLowerCase()),
  );
  if (found.length === 0) return null;
  return (
    <section>
      <h2 className="mb-1.5 text-label text-ink-2">{group}</h2>
      <ul className="grid grid-cols-2 gap-1.5">
        {found.map(({ id, name }) => (
          <li key={id}>
            <OrgLink
              to={`/connect/${id}`}
              className={joinClassNames(
                'flex min-h-10 items-center rounded-control border px-3 text-ui pointer-coarse:min-h-11',
                id === chosen
                  ? 'border-accent bg-accent-tint font-medium text-accent-ink'
                  : 'border-line bg-surface text-ink hover:bg-hover',
              )}
            >
              {name}
            </OrgLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ClientPanel({ client }: { readonly client: ConnectClient }) {
  const [made, setMade] = useState<CreatedKey | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const { data } = useQuery(orgModelsQuery);
  const models = data?.data ?? [];
  const model = typed ?? defaultModel(models);
  const gateway = apiUrl('gateway').href;
  const place = { gateway, key: made?.key ?? '$FLOE_KEY', model };
  const isReachable = !client.needsPublic || !isPrivateHost(new URL(gateway).host);
  return (
    <section aria-labelledby="client" className="min-w-0 rounded-card border border-line bg-surface">
      <ClientHeader client={client} />
      {!isReachable && (
        <div className="px-4 pt-4">
          <Notice>
            The servers of {client.name} make its requests: they cannot reach {new URL(gateway).host}. Give
            Floe a public HTTPS address first (server.base_url).
          </Notice>
        </div>
      )}
      <ol className="grid gap-6 p-4">
        <ConnectStep number={1} title="A key of its own">
          <KeyStep what={client.id} made={made} onMade={setMade} />
        </ConnectStep>
        <ConnectStep number={2} title="Paste">
          <div className="grid gap-3">
            <div className="max-w-md">
              <Field label="Model it will ask for">
                <Combobox choices={modelChoices(models)} value={model} free onChange={setTyped} />
              </Field>
            </div>
            {client.snippets(place).map((snippet) => (
              <CodeBlock key={snippet.label} snippets={[snippet]} />
            ))}
          </div>
        </ConnectStep>
        <ConnectStep number={3} title="Run">
          <p className="text-ui text-ink-2">{client.run}</p>
        </ConnectStep>
      </ol>
      <footer className="grid gap-3 border-t border-line px-4 py-3.5">
        {made ? (
          <FirstRequestStatus keyId={made.id} who={client.name} />
        ) : (
          <WaitingStatus>Make a key, and the first request with it shows here.</WaitingStatus>
        )}
        <Troubleshooting client={client} made={made} gateway={gateway} />
      </footer>
    </section>
  );
}

function ClientHeader({ client }: { readonly client: ConnectClient }) {
  return (
    <header className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-line px-4 py-3">
      <h2 id="client" className="text-body font-semibold">
        {client.name}
      </h2>
      <span className="flex gap-3 text-small text-ink-2">
        asks by {client.surface}
        <OrgLink to="/connect" className="text-accent-ink underlined xl:hidden">
          All clients
        </OrgLink>
      </span>
    </header>
  );
}

function ConnectStep({
  number,
  title,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="grid grid-cols-[1.5rem_1fr] gap-x-3">
      <span
        aria-hidden="true"
        className="grid size-6 place-items-center rounded-full border border-line-strong text-label text-ink-2"
      >
        {number}
      </span>
      <div className="min-w-0">
        <h3 className="mb-2 text-ui leading-6 font-medium">{title}</h3>
        {children}
      </div>
    </li>
  );
}

/** A key that is not known never reaches a row: what is told of it here is all there is. */
function Troubleshooting({
  client,
  made,
  gateway,
}: {
  readonly client: ConnectClient;
  readonly made: CreatedKey | null;
  readonly gateway: string;
}) {
  return (
    <details className="text-ui text-ink-2">
      <summary className="min-h-6">If nothing comes</summary>
      <ul className="mt-2 grid list-disc gap-1.5 pl-5">
        <li>
          It says 401: its key is another one.{' '}
          {made ? (
            <>
              This one ends in <code className="font-mono text-code text-ink">…{made.last4}</code>; compare
              the last four of the key in its settings.
            </>
          ) : (
            'Compare the last four of the key in its settings with the list of keys.'
          )}
        </li>
        <li>
          It says 404 for the model: the id must be one of those offered above, slash included, and the key
          must be allowed to use it.
        </li>
        <li>
          It reaches nothing: it must be able to open{' '}
          <code className="font-mono text-code text-ink">{gateway}</code> from where it runs.
        </li>
        {client.pitfalls.map((trap) => (
          <li key={trap}>{trap}</li>
        ))}
      </ul>
    </details>
  );
}

/** A real model when there is one. */
function defaultModel(models: readonly Model[]): string {
  return (
    models.find(({ kind, provider }) => kind === 'model' && provider !== 'sandbox')?.id ??
    models.find(({ kind }) => kind === 'alias')?.id ??
    'sandbox/echo'
  );
}
