/** The platform key that calls the relay. */
export interface RelayCaller {
  readonly orgId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly team: string | null;
  readonly owner: string | null;
}
