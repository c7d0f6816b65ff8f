/** What a platform key may do. `read` sees every `GET` under `/api`; `beat` may only send beats. */
export const KEY_SCOPES = ['gateway', 'monitoring', 'beat', 'relay', 'management', 'read'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];
