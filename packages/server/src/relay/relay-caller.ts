/** The platform key with which a client calls the relay. */
export interface RelayCaller {
  readonly orgId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly team: string | null;
  readonly owner: string | null;
}
