import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import type { CreatedKey } from '../../data/created-keys.ts';
import { type ModelResource, modelLookupQuery } from '../../data/lookup-queries.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { EmptyState, Notice } from '../../ui/feedback.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { toModelOptions } from '../playground/playground-data.ts';
import {
  CLIENT_GROUPS,
  CONNECTABLE_CLIENTS,
  type ConnectableClient,
  isPrivateHost,
  KEY_VARIABLE,
} from './connectable-clients.ts';
import { FirstRequestStatus, WaitingStatus } from './first-request.tsx';
import { KeyStep, UnsavedKeyGuard, useKeyCreation } from './key-step.tsx';
import { connectText } from './text.ts';

/** Shows the settings of a client with a new key, and waits for its first request. */
export function ConnectPage() {
  const chosen = usePathParam('client');
  const [search, setSearch] = useState('');
  const client = CONNECTABLE_CLIENTS.find(({ id }) => id === chosen);
  return (
    <PageFrame title={client ? connectText.page.clientTitle(client.name) : connectText.page.title}>
      <div className="grid items-start gap-5 xl:grid-cols-[22rem_1fr]">
        <nav
          aria-label={connectText.page.clients}
          className={joinClassNames('grid gap-4', client && 'max-xl:hidden')}
        >
          <Input
            type="search"
            aria-label={connectText.page.search}
            placeholder={connectText.page.search}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
          {CLIENT_GROUPS.map((group) => (
            <ClientGroup key={group} group={group} search={search} chosen={chosen} />
          ))}
        </nav>
        {client ? (
          // The key resets the state, so that each client starts without a platform key.
          <ClientPanel key={client.id} client={client} />
        ) : chosen === '' ? (
          <p className="rounded-card border border-dashed border-line-strong px-4 py-14 text-center text-ui text-ink-2 max-xl:hidden">
            {connectText.page.choose}
          </p>
        ) : (
          <EmptyState title={connectText.unknownClient.title(chosen)}>
            {connectText.unknownClient.body}
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
  readonly group: ConnectableClient['group'];
  readonly search: string;
  readonly chosen: string;
}) {
  const found = CONNECTABLE_CLIENTS.filter(
    (client) => client.group === group && client.name.toLowerCase().includes(search.trim().toLowerCase()),
  );
  if (found.length === 0) return null;
  return (
    <section>
      <h2 className="mb-1.5 text-label text-ink-2">{connectText.groups[group]}</h2>
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

function ClientPanel({ client }: { readonly client: ConnectableClient }) {
  const creation = useKeyCreation(client.id);
  const { created } = creation;
  const [typed, setTyped] = useState<string | null>(null);
  const { data } = useQuery(modelLookupQuery);
  const models = data?.data ?? [];
  const model = typed ?? defaultModel(models);
  const gateway = buildApiUrl('gateway').href;
  const settings = { gateway, key: created?.key ?? KEY_VARIABLE, model };
  const isReachable = !client.needsPublic || !isPrivateHost(new URL(gateway).hostname);
  return (
    <section aria-labelledby="client" className="min-w-0 rounded-card border border-line bg-surface">
      <ClientHeader client={client} />
      {!isReachable && (
        <div className="px-4 pt-4">
          <Notice>{connectText.unreachable(client.name, new URL(gateway).hostname)}</Notice>
        </div>
      )}
      <ol className="grid gap-6 p-4">
        <UnsavedKeyGuard creation={creation}>
          <ConnectStep number={1} title={connectText.steps.key}>
            <KeyStep creation={creation} />
          </ConnectStep>
          <ConnectStep number={2} title={connectText.steps.configure}>
            <div className="grid gap-3">
              <div className="max-w-md">
                <Field label={connectText.steps.model}>
                  <Combobox choices={toModelOptions(models)} value={model} free onChange={setTyped} />
                </Field>
              </div>
              {client.snippets(settings).map((snippet) => (
                <CodeBlock key={snippet.label} snippets={[snippet]} />
              ))}
            </div>
          </ConnectStep>
        </UnsavedKeyGuard>
        <ConnectStep number={3} title={connectText.steps.run}>
          <p className="text-ui text-ink-2">{client.run}</p>
        </ConnectStep>
      </ol>
      <footer className="grid gap-3 border-t border-line px-4 py-3.5">
        {created ? (
          <FirstRequestStatus keyId={created.id} client={client.name} />
        ) : (
          <WaitingStatus>{connectText.steps.waitingForKey}</WaitingStatus>
        )}
        <Troubleshooting client={client} created={created} gateway={gateway} />
      </footer>
    </section>
  );
}

function ClientHeader({ client }: { readonly client: ConnectableClient }) {
  return (
    <header className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-line px-4 py-3">
      <h2 id="client" className="text-body font-semibold">
        {client.name}
      </h2>
      <span className="flex gap-3 text-small text-ink-2">
        {connectText.page.apiName(client.surface)}
        <OrgLink to="/connect" className="text-accent-ink underlined xl:hidden">
          {connectText.page.allClients}
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

/** Explains what to check if no request arrives. Requests with an unknown key are not recorded. */
function Troubleshooting({
  client,
  created,
  gateway,
}: {
  readonly client: ConnectableClient;
  readonly created: CreatedKey | null;
  readonly gateway: string;
}) {
  const { title, unauthorized, compareLast4, compareList, notFound, unreachable } =
    connectText.troubleshooting;
  return (
    <details className="text-ui text-ink-2">
      <summary className="min-h-6">{title}</summary>
      <ul className="mt-2 grid list-disc gap-1.5 pl-5">
        <li>
          {unauthorized} {created ? compareLast4(created.last4) : compareList}
        </li>
        <li>{notFound}</li>
        <li>{unreachable(gateway)}</li>
        {client.pitfalls.map((pitfall) => (
          <li key={pitfall}>{pitfall}</li>
        ))}
      </ul>
    </details>
  );
}

/** Returns a model of a provider other than the sandbox, if there is one. */
function defaultModel(models: readonly ModelResource[]): string {
  return (
    models.find(({ kind, provider }) => kind === 'model' && provider !== 'sandbox')?.id ??
    models.find(({ kind }) => kind === 'alias')?.id ??
    'sandbox/echo'
  );
}
