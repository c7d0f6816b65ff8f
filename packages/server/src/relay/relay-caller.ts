/** The platform key or member that calls the relay. For a member, `keyId` and `keyName` are the id and the email address. */
export interface RelayCaller {
  readonly orgId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly team: string | null;
  readonly owner: string | null;
}
