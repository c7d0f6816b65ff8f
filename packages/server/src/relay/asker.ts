/** Who asks the relay. */
export interface Asker {
  readonly orgId: string;
  readonly keyId: string;
  readonly key: string;
  readonly team: string | null;
  readonly owner: string | null;
}
