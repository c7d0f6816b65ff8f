/**
 * Permissions of a platform key. `read` allows every `GET` under `/api`. `beat` only allows sending beats.
 */
export const KEY_SCOPES = ['gateway', 'monitoring', 'beat', 'relay', 'management', 'read'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];
