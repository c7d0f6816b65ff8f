/** What a platform key may do. `read` sees every `GET` under `/api`; `beat` may only send beats. */
export const SCOPES = ['gateway', 'monitoring', 'beat', 'relay', 'management', 'read'] as const;

export type Scope = (typeof SCOPES)[number];
