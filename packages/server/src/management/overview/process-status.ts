/** The state of this process that the overview shows and that is not in the database. */
export interface ProcessStatus {
  /**
   * The last rejected floe.yaml, limited to what this org may see. Null if a later file was applied or none
   * was rejected.
   */
  configRejection(
    orgId: string,
  ): { readonly atMs: number; readonly problem: string; readonly file?: string } | null;
  sharedStoreState(): 'ok' | 'unavailable' | 'memory';
  /**
   * Beats of an org that were rejected in the last hour, with the most recent reason. Null if there were
   * none.
   */
  rejectedBeats(
    orgId: string,
  ): { readonly count: number; readonly last: string; readonly atMs: number } | null;
}
