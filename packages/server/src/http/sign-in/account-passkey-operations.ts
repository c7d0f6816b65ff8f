import { idParams } from '@floe/contract/api/page';
import {
  passkeyCreation,
  passkeyCreationOptions,
  passkeyList,
  passkeyPatch,
  passkeyResource,
} from '@floe/contract/api/passkeys';
import * as z from 'zod';
import {
  addOwnPasskey,
  createOwnPasskeyCreationOptions,
  listOwnPasskeys,
  removeOwnPasskey,
  renameOwnPasskey,
} from '../../platform/sign-in/own-passkeys.ts';
import type { SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import type { PasskeyRow } from '../../store/passkeys.ts';
import { defineSessionOperation, type SessionOperation } from './session-operation.ts';

/** Creates the operations on the signed-in user's passkeys. */
export function createAccountPasskeyOperations(context: SignInContext): readonly SessionOperation[] {
  return [
    defineSessionOperation({
      name: 'me.passkeys',
      method: 'GET',
      path: '/api/me/passkeys',
      summary: 'List your passkeys',
      status: 200,
      answer: passkeyList,
      run: async ({ browser }) => ({
        body: { data: (await listOwnPasskeys(context, browser)).map(toPasskeyView), next_cursor: null },
      }),
    }),
    defineSessionOperation({
      name: 'me.passkey_options',
      method: 'POST',
      path: '/api/me/passkeys/options',
      summary:
        'Get the options for creating a passkey in the browser; requires a step-up; the options can be used once, within five minutes',
      status: 200,
      answer: passkeyCreationOptions,
      run: async ({ browser }) => ({ body: await createOwnPasskeyCreationOptions(context, browser) }),
    }),
    defineSessionOperation({
      name: 'me.add_passkey',
      method: 'POST',
      path: '/api/me/passkeys',
      summary: 'Add a passkey; requires a step-up',
      status: 201,
      body: passkeyCreation,
      answer: passkeyResource,
      run: async (call) => ({ body: toPasskeyView(await addOwnPasskey(context, call.browser, call.body)) }),
    }),
    defineSessionOperation({
      name: 'me.rename_passkey',
      method: 'PATCH',
      path: '/api/me/passkeys/{id}',
      summary: 'Rename a passkey',
      status: 200,
      params: idParams,
      body: passkeyPatch,
      answer: passkeyResource,
      run: async ({ browser, params, body }) => ({
        body: toPasskeyView(await renameOwnPasskey(context, browser, params.id, body.name)),
      }),
    }),
    defineSessionOperation({
      name: 'me.remove_passkey',
      method: 'DELETE',
      path: '/api/me/passkeys/{id}',
      summary: 'Remove a passkey and end the sessions that were started with it; requires a step-up',
      status: 204,
      params: idParams,
      answer: z.null(),
      async run({ browser, params }) {
        return (await removeOwnPasskey(context, browser, params.id)) ? { token: null } : {};
      },
    }),
  ];
}

function toPasskeyView(row: PasskeyRow) {
  return {
    id: row.id,
    name: row.name,
    backed_up: row.backed_up === 1,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: row.last_used_at === null ? null : new Date(row.last_used_at).toISOString(),
  };
}
