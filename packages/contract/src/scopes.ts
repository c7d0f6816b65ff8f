/**
 * The permissions of a platform key. `read` permits every `GET` under `/api`, except reading stored
 * bodies. `beat` permits only sending beats.
 */
export const KEY_SCOPES = ['gateway', 'monitoring', 'beat', 'relay', 'management', 'read'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];
