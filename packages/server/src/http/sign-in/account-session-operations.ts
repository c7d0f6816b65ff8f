import { idParams } from '@floe/contract/api/page';
import { ownSessionList, SIGN_IN_METHODS } from '@floe/contract/api/session';
import * as z from 'zod';
import { endOtherSessions, endOwnSession, loadOwnSessions } from '../../platform/sign-in/own-sessions.ts';
import type { SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import type { ConsoleSessionRow } from '../../store/console-sessions.ts';
import { defineSessionOperation, type SessionOperation } from './session-operation.ts';

/** Creates the operations on the signed-in user's sessions. */
export function createAccountSessionOperations(context: SignInContext): readonly SessionOperation[] {
  return [
    defineSessionOperation({
      name: 'me.sessions',
      method: 'GET',
      path: '/api/me/sessions',
      summary: 'List your sessions',
      status: 200,
      answer: ownSessionList,
      async run({ browser }) {
        const { live, rows } = await loadOwnSessions(context, browser);
        return { body: { data: rows.map((row) => toSessionListItem(row, live.id)), next_cursor: null } };
      },
    }),
    defineSessionOperation({
      name: 'me.end_other_sessions',
      method: 'DELETE',
      path: '/api/me/sessions',
      summary: 'End all your other sessions',
      status: 204,
      answer: z.null(),
      async run({ browser }) {
        await endOtherSessions(context, browser);
        return {};
      },
    }),
    defineSessionOperation({
      name: 'me.end_session',
      method: 'DELETE',
      path: '/api/me/sessions/{id}',
      summary: 'End one of your sessions',
      status: 204,
      params: idParams,
      answer: z.null(),
      async run({ browser, params }) {
        const live = await endOwnSession(context, browser, params.id);
        return params.id === live.id ? { token: null } : {};
      },
    }),
  ];
}

function toSessionListItem(row: ConsoleSessionRow, currentId: string) {
  return {
    id: row.id,
    current: row.id === currentId,
    method: SIGN_IN_METHODS.find((method) => method === row.method) ?? 'password',
    org_id: row.org_id,
    ip_address: row.ip_address,
    user_agent: row.user_agent,
    created_at: new Date(row.created_at).toISOString(),
    last_seen_at: new Date(row.last_seen_at).toISOString(),
    expires_at: new Date(row.expires_at).toISOString(),
  };
}
