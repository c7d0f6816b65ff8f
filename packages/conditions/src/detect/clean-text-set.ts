/**
 * A set of long JSON strings that have been scanned and contain no findings. Agents repeat the whole
 * conversation in every request, so most strings have been scanned before.
 */
export interface CleanTextSet {
  /**
   * Returns the key of a JSON string, which is given with its quotes, as text or in UTF-8. Clients cannot construct
   * two different strings with the same key.
   */
  keyOf(token: string | Uint8Array): string;
  has(key: string): boolean;
}

/**
 * A set of clean texts to which a scan can add texts. Use it only for scans that look for all kinds of findings, because a text
 * without findings of some kinds may contain findings of other kinds.
 */
export interface WritableCleanTextSet extends CleanTextSet {
  add(key: string): void;
}
