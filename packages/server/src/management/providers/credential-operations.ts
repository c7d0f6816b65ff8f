import { createListQuerySchema, createPageSchema, idParams } from '@floe/contract/api/page';
import {
  credentialCreation,
  credentialParams,
  credentialPatch,
  credentialResource,
} from '@floe/contract/api/providers';
import { MAX_LIST_ENTRIES } from '@floe/contract/config/max-resources-per-org';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { getProviderOrigin } from '../../platform/config/provider-secrets.ts';
import { deleteProviderCredential, type ProviderCredentialRow } from '../../store/config-entries.ts';
import { paginateListForResponse } from '../list-page.ts';
import { defineReadOperation, defineWriteOperation, type Operation } from '../operation.ts';
import { requireChangeableResource, requireResource } from '../resources/resource-operations.ts';
import type { ProviderDependencies } from './provider-dependencies.ts';
import { toCredentialResource, toProviderResource } from './provider-resource.ts';
import {
  createStoredProviderLookup,
  type StoredProvider,
  toProviderConfigWithoutSecrets,
} from './stored-providers.ts';
import { upsertCredential } from './write-provider.ts';

const CREDENTIALS_PATH = '/api/management/providers/{id}/credentials';
const CREDENTIAL_PATH = '/api/management/providers/{id}/credentials/{name}';
const WRITE_OPERATION_FIELDS = { scope: 'management', invalidates: 'config' } as const;

/** Returns the operations that write provider credentials. None of them returns a secret. */
export function defineCredentialOperations(dependencies: ProviderDependencies): readonly Operation[] {
  return [
    listCredentialsOperation(dependencies),
    getCredentialOperation(dependencies),
    createCredentialOperation(dependencies),
    updateCredentialOperation(dependencies),
    deleteCredentialOperation(dependencies),
  ];
}

function listCredentialsOperation(dependencies: ProviderDependencies): Operation {
  return defineReadOperation({
    name: 'credentials.list',
    method: 'GET',
    path: CREDENTIALS_PATH,
    scope: 'management',
    summary: 'List provider credentials without their keys',
    params: idParams,
    query: createListQuerySchema(['position']),
    answer: createPageSchema(credentialResource),
    async run(context, { params, query }) {
      const found = await requireResource(
        createStoredProviderLookup(dependencies.secretsKey),
        context,
        params.id,
      );
      const { credentials } = toProviderResource(
        found,
        dependencies,
        dependencies.getLoadedOrg(context.orgId),
      );
      return paginateListForResponse(credentials, ({ name: id }) => ({ id }), query);
    },
  });
}

function getCredentialOperation(dependencies: ProviderDependencies): Operation {
  return defineReadOperation({
    name: 'credentials.get',
    method: 'GET',
    path: CREDENTIAL_PATH,
    scope: 'management',
    summary: 'Read one provider credential without its key',
    volatileFields: ['tested_at', 'test'],
    params: credentialParams,
    answer: credentialResource,
    async run(context, { params }) {
      const found = await requireResource(
        createStoredProviderLookup(dependencies.secretsKey),
        context,
        params.id,
      );
      const { credentials } = toProviderResource(
        found,
        dependencies,
        dependencies.getLoadedOrg(context.orgId),
      );
      const view = credentials.find(({ name }) => name === params.name);
      if (!view) throw unknownCredentialFault();
      return view;
    },
  });
}

function createCredentialOperation(dependencies: ProviderDependencies): Operation {
  return defineWriteOperation({
    ...WRITE_OPERATION_FIELDS,
    name: 'credentials.create',
    requiresStepUp: true,
    method: 'POST',
    path: CREDENTIALS_PATH,
    summary:
      'Add a credential to a provider; the credential is stored encrypted and is sent only to the provider’s URL',
    params: idParams,
    body: credentialCreation,
    answer: credentialResource,
    status: 201,
    async run(context, { params, body }) {
      const found = await requireChangeableResource(
        createStoredProviderLookup(dependencies.secretsKey),
        context,
        params.id,
      );
      if (found.credentials.some(({ name }) => name === body.name))
        throw new Fault('conflict', `The credential "${body.name}" already exists. Choose another name.`, {
          param: 'name',
        });
      if (found.credentials.length >= MAX_LIST_ENTRIES.providerCredentials)
        throw new Fault(
          'conflict',
          `This provider already has ${MAX_LIST_ENTRIES.providerCredentials} credentials, which is the maximum. Delete one first.`,
        );
      const wanted = { name: body.name, weight: body.weight, secret: body.api_key, before: null };
      const row = await upsertCredential(context, dependencies.secretsKey, credentialBinding(found), wanted);
      const after = toCredentialResource(row);
      return { answer: after, audit: { subject: `${params.id}/${body.name}`, before: null, after } };
    },
  });
}

function updateCredentialOperation(dependencies: ProviderDependencies): Operation {
  return defineWriteOperation({
    ...WRITE_OPERATION_FIELDS,
    name: 'credentials.update',
    method: 'PATCH',
    path: CREDENTIAL_PATH,
    summary: 'Replace the key of a credential, or change the credential’s share of the traffic',
    params: credentialParams,
    body: credentialPatch,
    answer: credentialResource,
    status: 200,
    async run(context, { params, body }) {
      const found = await requireChangeableResource(
        createStoredProviderLookup(dependencies.secretsKey),
        context,
        params.id,
      );
      const before = requireStoredCredential(found, params.name);
      const { name, weight } = before;
      const wanted = { name, weight: body.weight ?? weight, secret: body.api_key, before };
      if (wanted.secret === undefined && wanted.weight === before.weight)
        return { answer: toCredentialResource(before), audit: 'unchanged' };
      const row = await upsertCredential(context, dependencies.secretsKey, credentialBinding(found), wanted);
      const answer = toCredentialResource(row);
      const subject = `${params.id}/${params.name}`;
      const after = row.version === before.version ? answer : { ...answer, key: 'replaced' };
      return { answer, audit: { subject, before: toCredentialResource(before), after } };
    },
  });
}

function deleteCredentialOperation(dependencies: ProviderDependencies): Operation {
  return defineWriteOperation({
    ...WRITE_OPERATION_FIELDS,
    name: 'credentials.delete',
    requiresStepUp: true,
    method: 'DELETE',
    path: CREDENTIAL_PATH,
    summary:
      'Remove a provider credential; requests that arrive after the response do not use the credential (in other Floe processes, after at most two seconds)',
    params: credentialParams,
    answer: z.null(),
    status: 204,
    async run(context, { params }) {
      const found = await requireChangeableResource(
        createStoredProviderLookup(dependencies.secretsKey),
        context,
        params.id,
      );
      const before = requireStoredCredential(found, params.name);
      await deleteProviderCredential(context.writer, before.id);
      const subject = `${params.id}/${params.name}`;
      return { answer: null, audit: { subject, before: toCredentialResource(before), after: null } };
    },
  });
}

function requireStoredCredential({ credentials }: StoredProvider, name: string): ProviderCredentialRow {
  const row = credentials.find((one) => one.name === name);
  if (!row) throw unknownCredentialFault();
  return row;
}

function credentialBinding({ row }: StoredProvider) {
  return { provider_id: row.id, origin: getProviderOrigin(toProviderConfigWithoutSecrets(row)) };
}

function unknownCredentialFault(): Fault {
  return new Fault('not_found', 'This provider has no credential with this name.');
}
