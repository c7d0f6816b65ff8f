/** How the process stands, for the overview: what no table knows. */
export interface ProcessStatus {
  /** The last floe.yaml that was refused, as an org may know it, while none was taken over since; null otherwise. */
  configRejection(
    orgId: string,
  ): { readonly atMs: number; readonly problem: string; readonly file?: string } | null;
  sharedStoreState(): 'ok' | 'unavailable' | 'memory';
  /** Beats of an org that were refused in the last hour, and why the last one was; null without any. */
  rejectedBeats(
    orgId: string,
  ): { readonly count: number; readonly last: string; readonly atMs: number } | null;
}
