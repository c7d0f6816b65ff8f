/** The keys of the session storage under which the playground stores prompts: one per user and organization. */
const PREFIX = 'floe.playground.';

/** Returns the storage key of the prompt of a user in an organization. */
export function buildPromptStorageKey(userId: string, orgId: string): string {
  return `${PREFIX}${userId}.${orgId}`;
}

/**
 * Deletes the stored prompts from a storage, for example because another user signed in. A prompt can contain the
 * stored body of a request.
 * @param keptUserId The user whose prompts are kept. Absent to delete all prompts.
 */
export function discardStoredPrompts(
  storage: Pick<Storage, 'length' | 'key' | 'removeItem'>,
  keptUserId?: string,
): void {
  const kept = keptUserId === undefined ? null : buildPromptStorageKey(keptUserId, '');
  for (const key of Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? ''))
    if (key.startsWith(PREFIX) && !(kept !== null && key.startsWith(kept))) storage.removeItem(key);
}
