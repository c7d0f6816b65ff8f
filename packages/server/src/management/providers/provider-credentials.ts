import { idParams, listQuery, page } from '@floe/contract/api/page';
import {
  credential,
  credentialChange,
  credentialCreation,
  credentialParams,
} from '@floe/contract/api/providers';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { originOf } from '../../platform/config/provider-secrets.ts';
import { type CredentialRow, removeCredential } from '../../store/config-entries.ts';
import { listPage } from '../list-page.ts';
import { changeable, existing } from '../resources/resource-verbs.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import { type FoundProvider, shownConfig, storedProviders } from './found-provider.ts';
import { credentialView, providerView } from './provider-answer.ts';
import type { ProviderHost } from './provider-host.ts';
import { putCredential } from './write-provider.ts';

const ALL = '/api/management/providers/{id}/credentials';
const ONE = '/api/management/providers/{id}/credentials/{name}';
const common = { scope: 'management', changes: 'config' } as const;

/** The keys of a provider: written, and never read again. */
export function credentialVerbs(host: ProviderHost): readonly Verb[] {
  return [listVerb(host), getVerb(host), createVerb(host), updateVerb(host), deleteVerb(host)];
}

function listVerb(host: ProviderHost): Verb {
  return readVerb({
    name: 'credentials.list',
    method: 'GET',
    path: ALL,
    scope: 'management',
    summary: 'List the credentials of a provider, without their keys',
    params: idParams,
    query: listQuery(['position']),
    answer: page(credential),
    async run(context, { params, query }) {
      const found = await existing(storedProviders(host.key), context, params.id);
      const { credentials } = providerView(found, host, host.orgs(context.orgId));
      return listPage(credentials, ({ name: id }) => ({ id }), query);
    },
  });
}

function getVerb(host: ProviderHost): Verb {
  return readVerb({
    name: 'credentials.get',
    method: 'GET',
    path: ONE,
    scope: 'management',
    summary: 'Read one credential of a provider, without its key',
    live: ['tested_at', 'test'],
    params: credentialParams,
    answer: credential,
    async run(context, { params }) {
      const found = await existing(storedProviders(host.key), context, params.id);
      const { credentials } = providerView(found, host, host.orgs(context.orgId));
      const view = credentials.find(({ name }) => name === params.name);
      if (!view) throw unknownCredential();
      return view;
    },
  });
}

function createVerb(host: ProviderHost): Verb {
  return writeVerb({
    ...common,
    name: 'credentials.create',
    stepUp: true,
    method: 'POST',
    path: ALL,
    summary: 'Give a provider another key, stored encrypted and bound to its address',
    params: idParams,
    body: credentialCreation,
    answer: credential,
    status: 201,
    async run(context, { params, body }) {
      const found = await changeable(storedProviders(host.key), context, params.id);
      if (found.credentials.some(({ name }) => name === body.name))
        throw new Fault('conflict', `There is a credential "${body.name}" already.`, { param: 'name' });
      const wanted = { name: body.name, weight: body.weight, secret: body.api_key, before: null };
      const row = await putCredential(context, host.key, placeOf(found), wanted);
      const after = credentialView(row);
      return { answer: after, audit: { subject: `${params.id}/${body.name}`, before: null, after } };
    },
  });
}

function updateVerb(host: ProviderHost): Verb {
  return writeVerb({
    ...common,
    name: 'credentials.update',
    method: 'PATCH',
    path: ONE,
    summary: 'Put another key in the place of one, or change its share of the traffic',
    params: credentialParams,
    body: credentialChange,
    answer: credential,
    status: 200,
    async run(context, { params, body }) {
      const found = await changeable(storedProviders(host.key), context, params.id);
      const before = storedCredential(found, params.name);
      const { name, weight } = before;
      const wanted = { name, weight: body.weight ?? weight, secret: body.api_key, before };
      if (wanted.secret === undefined && wanted.weight === before.weight)
        return { answer: credentialView(before), audit: 'unchanged' };
      const row = await putCredential(context, host.key, placeOf(found), wanted);
      const answer = credentialView(row);
      const subject = `${params.id}/${params.name}`;
      const after = row.version === before.version ? answer : { ...answer, key: 'replaced' };
      return { answer, audit: { subject, before: credentialView(before), after } };
    },
  });
}

function deleteVerb(host: ProviderHost): Verb {
  return writeVerb({
    ...common,
    name: 'credentials.delete',
    stepUp: true,
    method: 'DELETE',
    path: ONE,
    summary: 'Remove a key of a provider; no request is sent with it once this is answered',
    params: credentialParams,
    answer: z.null(),
    status: 204,
    async run(context, { params }) {
      const found = await changeable(storedProviders(host.key), context, params.id);
      const before = storedCredential(found, params.name);
      await removeCredential(context.writer, before.id);
      const subject = `${params.id}/${params.name}`;
      return { answer: null, audit: { subject, before: credentialView(before), after: null } };
    },
  });
}

function storedCredential({ credentials }: FoundProvider, name: string): CredentialRow {
  const row = credentials.find((one) => one.name === name);
  if (!row) throw unknownCredential();
  return row;
}

function placeOf({ row }: FoundProvider) {
  return { provider_id: row.id, origin: originOf(shownConfig(row)) };
}

function unknownCredential(): Fault {
  return new Fault('not_found', 'This provider has no credential of this name.');
}
